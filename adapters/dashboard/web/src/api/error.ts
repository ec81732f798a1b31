import type { components } from './schema';

type Problem = components['schemas']['Problem'];

/** A failed call: the problem that the API answered with, or no answer at all. */
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
      // Not from the API but from something between, such as a load balancer.
    }
    return new ApiError(response.status, problem);
  }

  static offline(cause: unknown) {
    return new ApiError(0, { title: 'No connection' }, { cause });
  }

  get code() {
    return this.problem.code;
  }

  get faults() {
    return this.problem.errors ?? [];
  }

  /** Whether the same call may succeed later without a change. */
  get temporary() {
    return this.status === 0 || this.status === 429 || this.status >= 500;
  }
}

/** The ApiError of a failed query or mutation, whose error types are those of the document. */
export function asApiError(error: unknown): ApiError {
  return error instanceof ApiError ? error : ApiError.offline(error);
}
