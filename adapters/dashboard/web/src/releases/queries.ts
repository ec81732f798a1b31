import { keepPreviousData, queryOptions } from '@tanstack/react-query';
import { $api, api, dataOf, ifMatch, maxLimit, type Schemas } from '../api/client';
import { asApiError } from '../api/error';
import { queryClient } from '../api/queries';
import { standingChanged } from '../editor/queries';
import type { ReleasePlace } from '../review/queries';
import type { ReleasesSearch } from './search';

export type { ReleasePlace };

export type Release = Schemas['Release'];
export type Member = Schemas['ReleaseMember'];

const all = '/api/projects/{projectId}/releases';
const one = `${all}/{releaseId}` as const;
const at = ({ projectId, releaseId }: ReleasePlace) => ({ params: { path: { projectId, releaseId } } });
const atVersion = (place: ReleasePlace, release: Pick<Release, 'version' | 'etag'>) => ({ params: { ...at(place).params, header: { 'If-Match': ifMatch(release) } } });

export const rowsPerPage = 25;
const perPage = maxLimit;
const perCall = 500; // members

export const releasesQuery = (projectId: number, { state, search, page = 1 }: ReleasesSearch, size = rowsPerPage) =>
  $api.queryOptions('get', all, { params: { path: { projectId }, query: { state, search, page, perPage: size } } }, { placeholderData: keepPreviousData, refetchInterval: 30_000 });

export const releaseQuery = (place: ReleasePlace) => $api.queryOptions('get', one, at(place), { refetchInterval: 15_000 });

/** All members of a version of a release, by entry. */
export const membersQuery = (place: ReleasePlace, version: number) =>
  queryOptions({
    queryKey: ['release-members', place.projectId, place.releaseId, version],
    queryFn: async ({ signal }) => {
      const read = (page: number) => dataOf<Schemas['ReleaseMembers']>(api.GET(`${one}/members`, { params: { ...at(place).params, query: { page, perPage } }, signal }));
      const first = await read(1);
      const pages = Math.ceil(first.meta.total / perPage);
      const rest = await Promise.all(Array.from({ length: Math.max(0, pages - 1) }, (_, i) => read(i + 2)));
      return [first, ...rest].flatMap(({ data }) => data);
    },
    placeholderData: keepPreviousData,
  });

/** What a member changes. */
export const memberQuery = (place: ReleasePlace, entryId: number, version: number) =>
  queryOptions({
    queryKey: ['release-member', place.projectId, place.releaseId, entryId, version],
    queryFn: ({ signal }) => dataOf(api.GET(`${one}/members/{contentId}`, { params: { path: { ...at(place).params.path, contentId: entryId } }, signal })),
  });

/** What a submission would answer. */
export const checkQuery = (place: ReleasePlace, version: number) =>
  queryOptions({
    queryKey: ['release-check', place.projectId, place.releaseId, version],
    queryFn: ({ signal }) => dataOf(api.POST(`${one}/check`, { ...at(place), signal })),
    staleTime: 10_000,
    refetchOnMount: 'always',
  });

/** Caches a release, and refetches what shows releases and the state of entries. */
export async function releaseChanged(place: ReleasePlace, release?: Release) {
  if (release) queryClient.setQueryData(releaseQuery(place).queryKey, release);
  standingChanged();
  void queryClient.invalidateQueries({ queryKey: ['get', '/api/projects/{projectId}/collections/{collectionId}/content/{contentId}'] }); // which shows its release
  await queryClient.invalidateQueries({
    predicate: ({ queryKey: [kind, route] }) =>
      kind === 'release-check' || kind === 'release-members' || (typeof route === 'string' && (route.startsWith('/api/approvals/') || (route.startsWith(all) && !(release && route === one)))),
  });
}

/** Runs a change of a release. If another one came first, the release is read again before the error is thrown. */
async function changing<T>(place: ReleasePlace, change: () => Promise<T>): Promise<T> {
  try {
    return await change();
  } catch (error) {
    const { status, code } = asApiError(error);
    if (status === 412 || code === 'not_open') await releaseChanged(place);
    throw error;
  }
}

export const createRelease = (projectId: number, body: Schemas['ReleaseInput']) => dataOf<Release>(api.POST(all, { params: { path: { projectId } }, body }));

export const changeRelease = (place: ReleasePlace, release: Release, body: Schemas['ReleaseChange']) => changing(place, () => dataOf<Release>(api.PATCH(one, { ...atVersion(place, release), body })));

export const removeRelease = (place: ReleasePlace, release: Release) => changing(place, () => api.DELETE(one, atVersion(place, release)));

/** Adds members, or replaces those with the same entry. */
export async function putMembers(place: ReleasePlace, members: readonly Schemas['ReleaseMemberInput'][]) {
  for (let i = 0; i < members.length; i += perCall) await api.POST(`${one}/members`, { ...at(place), body: { members: members.slice(i, i + perCall) } });
}

export const removeMembers = (place: ReleasePlace, release: Release, entryIds: readonly number[]) => changing(place, () => api.DELETE(`${one}/members`, { ...atVersion(place, release), body: { entryIds: [...entryIds] } }));

/** Submits a release, or publishes it where no workflow governs. Returns the request, if there is one. */
export async function publishRelease(place: ReleasePlace) {
  const { data, response } = await changing(place, () => api.POST(`${one}/publish`, { params: { ...at(place).params, header: { 'Idempotency-Key': crypto.randomUUID() } }, body: {} }));
  return response.status === 202 ? (data as unknown as Schemas['ApprovalRequest']) : undefined;
}

/** Opens again a release that waits for its time, where no workflow governs. */
export const cancelRelease = (place: ReleasePlace, release: Release) => changing(place, () => api.DELETE(`${one}/publish`, atVersion(place, release)));

/** Makes a release that takes back a published one. skipChanged leaves out what was published or unpublished since. */
export const revertRelease = (place: ReleasePlace, skipChanged: boolean) => dataOf<Release>(api.POST(`${one}/revert`, { ...at(place), body: { skipChanged } }));

/** Marks members as seen by the user, in the list and on the server. */
export async function markSeen(place: ReleasePlace, version: number, members: readonly Member[]) {
  const fresh = members.filter((member) => !member.seen);
  if (fresh.length === 0) return;
  const ids = new Set(fresh.map(({ entryId }) => entryId));
  const set = (seen: boolean) => queryClient.setQueryData(membersQuery(place, version).queryKey, (now) => now?.map((member) => (ids.has(member.entryId) ? { ...member, seen } : member)));
  set(true);
  try {
    await api.POST(`${one}/seen`, { ...at(place), body: { members: fresh.map(({ entryId, contentHash }) => ({ entryId, contentHash })) } });
  } catch {
    set(false); // the mark is a convenience: the next one tries again
  }
}
