import { $api, type Schemas } from '../api/client';
import { queryClient } from '../api/queries';

export type Request = Schemas['ApprovalRequest'];

/** What was said about an earlier request. */
export type Answer = { request: Request; action: Request['actions'][number] };

/** The ids of the entry of a request. */
export type Place = { projectId: number; collectionId: number; entryId: number };

/** The ids of a release. */
export type ReleasePlace = { projectId: number; releaseId: number };

/** What a request is for: an entry, or a release. */
export type Subject = Place | ReleasePlace;

export const isRelease = (subject: Subject): subject is ReleasePlace => 'releaseId' in subject;

/** What a request is for. */
export const subjectOf = ({ projectId, collectionId, entryId, releaseId }: Request): Subject =>
  releaseId !== null ? { projectId, releaseId } : { projectId, collectionId: collectionId!, entryId: entryId! };

const path = ({ projectId, collectionId, entryId }: Place) => ({ params: { path: { projectId, collectionId, contentId: entryId } } });
const base = '/api/projects/{projectId}/collections/{collectionId}/content/{contentId}' as const;
/** The request parameters of an entry. */
export const at = path;

const releaseBase = '/api/projects/{projectId}/releases/{releaseId}';

/**
 * The route and the parameters of the approval of an entry or a release, as types those of an entry: the routes
 * below have the same bodies and answers.
 */
export function approvalOf(subject: Subject) {
  if (!isRelease(subject)) return { route: `${base}/approval` as const, at: path(subject) };
  const { projectId, releaseId } = subject;
  return { route: `${releaseBase}/approval` as unknown as `${typeof base}/approval`, at: { params: { path: { projectId, releaseId } } } as unknown as ReturnType<typeof path> };
}

// Other reviewers may decide at the same time, so the page polls.
export function requestQuery(subject: Subject) {
  const { route, at } = approvalOf(subject);
  return $api.queryOptions('get', route, at, { refetchInterval: 15_000 });
}

// Others comment at the same time, so the page polls.
export function commentsQuery(subject: Subject) {
  const { route, at } = approvalOf(subject);
  return $api.queryOptions('get', `${route}/comments`, at, { refetchInterval: 15_000 });
}

export function auditQuery(subject: Subject) {
  const { route, at } = approvalOf(subject);
  return $api.queryOptions('get', `${route}/audit`, at);
}

export function historyQuery(subject: Subject) {
  const { route, at } = approvalOf(subject);
  return $api.queryOptions('get', `${route}/history`, at);
}

export const diffQuery = (place: Place) => $api.queryOptions('get', `${base}/approval/diff`, path(place), { refetchInterval: 30_000 });
/** The changes to the snapshot: from the published version, or from the snapshot of an earlier request; or those to the draft. */
export const changesQuery = (place: Place, query: { from?: number; to?: 'draft' }) =>
  $api.queryOptions('get', `${base}/approval/changes`, { params: { ...path(place).params, query } }, { refetchInterval: 30_000 });
/** Compares also with the snapshot of an earlier request. */
export const diffFromQuery = (place: Place, from: number) => $api.queryOptions('get', `${base}/approval/diff`, { params: { ...path(place).params, query: { from } } }, { refetchInterval: 30_000 });
export const publicationsQuery = (place: Place) => $api.queryOptions('get', `${base}/publications`, path(place));

/** Caches the request of a response, and refetches all queries that it affects. */
export const requestChanged = (request: Request) => requestsChanged([request]);

/** Caches the requests of responses, and refetches all queries that they affect. */
export function requestsChanged(requests: readonly Request[]) {
  const subjects = requests.map(subjectOf);
  requests.forEach((request, i) => queryClient.setQueryData(requestQuery(subjects[i]!).queryKey, request));
  const entryPaths = new Set(subjects.flatMap((subject) => (isRelease(subject) ? [] : JSON.stringify(path(subject).params.path))));
  const releases = new Set(subjects.flatMap((subject) => (isRelease(subject) ? subject.releaseId : [])));
  return queryClient.invalidateQueries({
    predicate: ({ queryKey: [, route, init] }) => {
      if (typeof route !== 'string') return false;
      if (route.startsWith('/api/approvals/')) return true;
      const params = (init as { params?: { path?: { releaseId?: number } } } | undefined)?.params?.path;
      if (route.startsWith('/api/projects/{projectId}/releases')) return releases.size > 0 && !route.endsWith('/approval') && (params?.releaseId === undefined || releases.has(params.releaseId));
      return route.startsWith(base) && !route.endsWith('/approval') && entryPaths.has(JSON.stringify(params));
    },
  });
}
