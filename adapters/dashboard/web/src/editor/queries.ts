import { $api } from '../api/client';
import { queryClient } from '../api/queries';

type Place = { projectId: number; collectionId: number };

const contents = '/api/projects/{projectId}/collections/{collectionId}/content';
const content = '/api/projects/{projectId}/collections/{collectionId}/content/{contentId}';
// Not the place as it is: a path's parameters hold the entry as well, and every member is part of a query's key.
const path = ({ projectId, collectionId }: Place, contentId: number) => ({ params: { path: { projectId, collectionId, contentId } } });

export const entryQuery = (place: Place, id: number) => $api.queryOptions('get', content, path(place, id), { refetchOnWindowFocus: 'always' });

export const translationsQuery = (place: Place, id: number) => $api.queryOptions('get', `${content}/translations`, path(place, id));

export const approvalQuery = (place: Place, id: number) => $api.queryOptions('get', `${content}/approval`, path(place, id));

/** The version that readers see, the first of the page. */
export const publicationsQuery = (place: Place, id: number) =>
  $api.queryOptions('get', `${content}/publications`, { params: { ...path(place, id).params, query: { page: 1, perPage: 1 } } });

export const revisionsQuery = (place: Place, id: number) =>
  $api.queryOptions('get', `${content}/revisions`, { params: { ...path(place, id).params, query: { page: 1, perPage: 1 } } });

export const workflowQuery = (projectId: number) =>
  $api.queryOptions('get', '/api/projects/{projectId}/approval-workflow/effective', { params: { path: { projectId } } }, { staleTime: 60_000 });

/** Marks what shows the fields of an entry as outdated. Lists that are open read again when they are looked at. */
export function draftChanged() {
  for (const queryKey of [['get', contents], ['entries'], ['titles'], ['related'], ['candidates']]) void queryClient.invalidateQueries({ queryKey, refetchType: 'none' });
}

/** Reads again what shows how an entry stands. */
export function standingChanged() {
  draftChanged();
  for (const name of ['translations', 'approval', 'publications', 'revisions']) void queryClient.invalidateQueries({ queryKey: ['get', `${content}/${name}`] });
  void queryClient.invalidateQueries({ predicate: ({ queryKey }) => typeof queryKey[1] === 'string' && /^\/api\/(approvals|schedules|projects\/\{projectId\}\/(overview|schedules))/.test(queryKey[1]) });
}
