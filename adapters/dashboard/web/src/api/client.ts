import createFetchClient from 'openapi-fetch';
import createQueryClient from 'openapi-react-query';
import { ApiError } from './error';
import type { components, paths } from './schema';
import { sessionEnded } from './session';

/** The JSON types of the API, by their schema name in the OpenAPI document. */
export type Schemas = components['schemas'];

/**
 * Calls the API with the session cookie. A call either returns the data of a successful response
 * or throws an ApiError.
 */
export const api = createFetchClient<paths>();

api.use({
  async onResponse({ request, response }) {
    const error = response.ok || response.status === 304 ? await noSession(request, response) : await ApiError.of(response);
    if (!error) return;
    if (lacksSession(error) && !isSignIn(request)) sessionEnded();
    throw error;
  },
  onError({ error }) {
    return error instanceof ApiError ? error : ApiError.offline(error);
  },
});

const isSession = (request: Request) => new URL(request.url).pathname === '/api/session';
const isSignIn = (request: Request) => request.method === 'POST' && isSession(request);

/** An error if the API was asked for the session and there is none: for the pages that is a failure. */
async function noSession(request: Request, response: Response) {
  if (request.method !== 'GET' || response.status !== 200 || !isSession(request)) return undefined;
  return (await response.clone().json()) === null ? ApiError.signedOut() : undefined;
}

/** Whether the user must sign in again: also to change a password that another user has set. */
export const lacksSession = ({ status, code }: ApiError) => status === 401 || (status === 403 && (code === 'password_change_required' || code === 'second_factor_required'));

/** The API for React Query: `$api.useQuery('get', '/api/projects')`. */
export const $api = createQueryClient(api);

/** The maximum of entries in one response, and of values in one condition. */
export const maxLimit = 500;

/** The value of the If-Match header for an entry as it was read. */
export const ifMatch = (read: { version: number; etag?: string }) => `"${read.etag ?? read.version}"`;

/** The data of a response. It is always present, because a failed call throws. */
export async function dataOf<T>(call: Promise<{ data?: T }>): Promise<T> {
  return (await call).data as T;
}
