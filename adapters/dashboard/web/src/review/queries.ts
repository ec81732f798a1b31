import { $api, type Schemas } from '../api/client';
import { queryClient } from '../api/queries';

export type Request = Schemas['ApprovalRequest'];

/** The ids of the entry of a request. */
export type Place = { projectId: number; collectionId: number; entryId: number };

const path = ({ projectId, collectionId, entryId }: Place) => ({ params: { path: { projectId, collectionId, contentId: entryId } } });
const base = '/api/projects/{projectId}/collections/{collectionId}/content/{contentId}' as const;

/** The request parameters of an entry. */
export const at = path;

// Other reviewers may decide at the same time, so the page polls.
export const requestQuery = (place: Place) => $api.queryOptions('get', `${base}/approval`, path(place), { refetchInterval: 15_000 });
export const diffQuery = (place: Place) => $api.queryOptions('get', `${base}/approval/diff`, path(place), { refetchInterval: 30_000 });
/** Compares also with the snapshot of an earlier request. */
export const diffFromQuery = (place: Place, from: number) => $api.queryOptions('get', `${base}/approval/diff`, { params: { ...path(place).params, query: { from } } }, { refetchInterval: 30_000 });
export const auditQuery = (place: Place) => $api.queryOptions('get', `${base}/approval/audit`, path(place));
export const historyQuery = (place: Place) => $api.queryOptions('get', `${base}/approval/history`, path(place));
export const publicationsQuery = (place: Place) => $api.queryOptions('get', `${base}/publications`, path(place));
export const publicationQuery = (place: Place, number: number) =>
  $api.queryOptions('get', `${base}/publications/{number}`, { params: { path: { ...path(place).params.path, number } } }, { staleTime: Infinity });

/** Caches the request of a response, and refetches all queries that it affects. */
export function requestChanged(place: Place, request: Request) {
  queryClient.setQueryData(requestQuery(place).queryKey, request);
  const entryPath = JSON.stringify(path(place).params.path);
  return queryClient.invalidateQueries({
    predicate: ({ queryKey: [, route, init] }) => {
      if (typeof route !== 'string') return false;
      if (route.startsWith('/api/approvals/')) return true;
      const params = (init as { params?: { path?: unknown } } | undefined)?.params?.path;
      return route.startsWith(base) && !route.endsWith('/approval') && JSON.stringify(params) === entryPath;
    },
  });
}
