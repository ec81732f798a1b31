export interface Fault {
  message: string;
  location?: string;
  value?: unknown;
}

/** A response that is no success, with the stable code and every fault that it names. */
export class ApiError extends Error {
  override readonly name = "ApiError";

  constructor(
    /** The HTTP status; 200 for errors of GraphQL. */
    readonly status: number,
    /** Such as "not_found"; "" if the response does not come from the service. */
    readonly code: string,
    message: string,
    readonly faults: readonly Fault[],
    readonly requestId: string | null,
    /** The seconds after which the service can be asked again. */
    readonly retryAfter: number | null,
  ) {
    super(message);
  }
}
