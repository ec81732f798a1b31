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
    if (response.ok || response.status === 304) return;
    if (response.status === 401 && !isSignIn(request)) sessionEnded();
    throw await ApiError.of(response);
  },
  onError({ error }) {
    return error instanceof ApiError ? error : ApiError.offline(error);
  },
});

function isSignIn(request: Request) {
  return request.method === 'POST' && new URL(request.url).pathname === '/api/session';
}

/** The API for React Query: `$api.useQuery('get', '/api/projects')`. */
export const $api = createQueryClient(api);

/** The maximum of entries in one response, and of values in one condition. */
export const maxLimit = 500;

/** The value of the If-Match header for a version. */
export const ifMatch = (version: number) => `"${version}"`;

/** The data of a response. It is always present, because a failed call throws. */
export async function dataOf<T>(call: Promise<{ data?: T }>): Promise<T> {
  return (await call).data as T;
}
