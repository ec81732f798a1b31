import { $api, type Schemas } from '../api/client';
import { queryClient } from '../api/queries';

type Place = { projectId: number; collectionId: number };

const contents = '/api/projects/{projectId}/collections/{collectionId}/content';
const content = '/api/projects/{projectId}/collections/{collectionId}/content/{contentId}';
// Do not spread the place: every member becomes part of the query key, and a place may have more members.
const path = ({ projectId, collectionId }: Place, contentId: number) => ({ params: { path: { projectId, collectionId, contentId } } });

export const entryQuery = (place: Place, id: number) => $api.queryOptions('get', content, path(place, id), { refetchOnWindowFocus: 'always' });

/** An entry in the trash. */
export const trashedQuery = (place: Place, id: number) => $api.queryOptions('get', '/api/projects/{projectId}/collections/{collectionId}/trash/{contentId}', path(place, id));

export const translationsQuery = (place: Place, id: number) => $api.queryOptions('get', `${content}/translations`, path(place, id));

export const approvalQuery = (place: Place, id: number) => $api.queryOptions('get', `${content}/approval`, path(place, id));

/** The latest publication of an entry. */
export const publicationsQuery = (place: Place, id: number) =>
  $api.queryOptions('get', `${content}/publications`, { params: { ...path(place, id).params, query: { page: 1, perPage: 1 } } });

export const revisionsQuery = (place: Place, id: number) =>
  $api.queryOptions('get', `${content}/revisions`, { params: { ...path(place, id).params, query: { page: 1, perPage: 1 } } });

/** The entries that refer to an entry. */
export const usesQuery = (place: Place, id: number) => $api.queryOptions('get', `${content}/usage`, path(place, id), { staleTime: 0 });

export const workflowQuery = (projectId: number) =>
  $api.queryOptions('get', '/api/projects/{projectId}/approval-workflow/effective', { params: { path: { projectId } } }, { staleTime: 60_000 });

/** The workflow that governs entries of a collection: null if there is none, or it exempts the collection. */
export const governing = (workflow: Schemas['Workflow'] | null | undefined, collection: Pick<Schemas['Collection'], 'slug'>) => (workflow?.exempt?.collections.includes(collection.slug) ? null : workflow);

/** The workflow as it would review the draft of an entry that the user sends now: steps that nobody could decide have reasons. */
export const sendingQuery = (projectId: number, entryId: number) =>
  $api.queryOptions('get', '/api/projects/{projectId}/approval-workflow/effective', { params: { path: { projectId }, query: { entryId } } }, { staleTime: 10_000 });

/** Marks queries that contain an entry's fields as stale. Open lists refetch at the next focus or mount. */
export function draftChanged() {
  for (const queryKey of [['get', contents], ['entries'], ['titles'], ['related'], ['candidates']]) void queryClient.invalidateQueries({ queryKey, refetchType: 'none' });
}

/** Refetches the queries that contain the state of an entry. */
export function standingChanged() {
  draftChanged();
  for (const name of ['translations', 'approval', 'publications', 'revisions']) void queryClient.invalidateQueries({ queryKey: ['get', `${content}/${name}`] });
  void queryClient.invalidateQueries({ predicate: ({ queryKey }) => typeof queryKey[1] === 'string' && /^\/api\/(approvals|schedules|projects\/\{projectId\}\/(overview|schedules))/.test(queryKey[1]) });
}
