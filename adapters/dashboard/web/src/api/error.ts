import type { components } from './schema';

type Problem = components['schemas']['Problem'];

/** A failed API call: an error response with its problem details, or no response. */
export class ApiError extends Error {
  constructor(
    /** The HTTP status; 0 means that no response arrived. */
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

/** Converts the error of a query or mutation. An error that is not an ApiError gets the status 0. */
export function asApiError(error: unknown): ApiError {
  return error instanceof ApiError ? error : ApiError.offline(error);
}
