import type { components } from './schema';

type Problem = components['schemas']['Problem'];

/** A failed API call: an error response with its problem details, or no response. */
export class ApiError extends Error {
  constructor(
    /** The HTTP status; 0 means that no response arrived, -1 that the program failed by itself. */
    readonly status: number,
    readonly problem: Partial<Problem> & Record<string, unknown>,
    options?: ErrorOptions,
  ) {
    super(problem.detail ?? problem.title ?? `HTTP ${status}`, options);
    this.name = 'ApiError';
  }

  static async of(response: Response) {
    let problem = {};
    try {
      problem = await response.json();
    } catch {
      // The response is not from the API but from an intermediary, such as a load balancer.
    }
    return new ApiError(response.status, problem);
  }

  static offline(cause: unknown) {
    return new ApiError(0, { title: 'No connection' }, { cause });
  }

  static internal(cause: unknown) {
    return new ApiError(-1, { title: 'Program failed' }, { cause });
  }

  static signedOut() {
    return new ApiError(401, { code: 'unauthenticated' });
  }

  get code() {
    return this.problem.code;
  }

  get faults() {
    return this.problem.errors ?? [];
  }

  /** Whether a retry of the same request may succeed. */
  get temporary() {
    return this.status === 0 || this.status === 429 || this.status >= 500;
  }
}

/** Whether a part of the program could not be loaded: without a connection, or because a newer version replaced it. */
export const isUnloaded = (error: unknown) => error instanceof Error && /dynamically imported module|importing a module script|unable to preload/i.test(error.message);

/** Converts the error of a query or mutation. A call of the API fails with an ApiError; any other error is one of the program. */
export function asApiError(error: unknown): ApiError {
  if (error instanceof ApiError) return error;
  return isUnloaded(error) ? ApiError.offline(error) : ApiError.internal(error);
}
