import { queryOptions, useQueries, useQuery } from '@tanstack/react-query';
import { $api, api, dataOf, maxLimit, type Schemas } from '../api/client';
import { collectionsQuery, componentsQuery } from '../api/queries';
import { titleOf } from '../content/fields';
import { queryString } from '../content/query';
import { titlesOf } from '../content/rows';
import { membersQuery } from '../settings/people/places';
import { departmentsQuery } from '../settings/queries';
import type { Event, Scope } from './queries';

/** The names of what events are about, as far as the page knows them: a fixed number of lists, whatever the number of events. */
export function useNames(scope: Scope, events: readonly Event[]) {
  const inProject = scope.kind === 'project';
  const path = { projectId: scope.id };
  const has = (kind: string) => inProject && events.some((event) => event.type.startsWith(kind));
  const collections = useQuery({ ...collectionsQuery(scope.id), enabled: inProject }).data?.data;
  const tokens = useQuery({ ...$api.queryOptions('get', '/api/projects/{projectId}/tokens', { params: { path } }), enabled: has('token.') }).data?.data;
  const webhooks = useQuery({ ...$api.queryOptions('get', '/api/projects/{projectId}/webhooks', { params: { path } }), enabled: has('webhook.') }).data?.data;
  const members = useQuery(membersQuery(scope)).data?.data;
  const components = useQuery({ ...componentsQuery(scope.id), enabled: has('component.') }).data?.data;
  const releases = useQueries({ queries: releasesOf(events, inProject).map((releaseId) => ({ ...$api.queryOptions('get', '/api/projects/{projectId}/releases/{releaseId}', { params: { path: { ...path, releaseId } } }), retry: false })) });
  const departments = useQuery({ ...departmentsQuery(scope.id), enabled: !inProject && events.some((event) => event.type.startsWith('department.')) }).data?.data;
  const files = useQueries({ queries: idsAbout(events, 'media.', inProject).map((mediaId) => ({ ...$api.queryOptions('get', '/api/projects/{projectId}/media/{mediaId}', { params: { path: { ...path, mediaId } } }), retry: false })) });
  const titles = useQueries({ queries: (collections ?? []).map((collection) => entryTitles(collection, entriesOf(events, collection.slug))), combine: titlesOf });
  return {
    entry: (id: number) => titles.get(id) || undefined,
    component: (id: number) => components?.find((one) => one.id === id)?.name,
    release: (id: number) => releases.find((one) => one.data?.id === id)?.data?.name,
    department: (id: number) => departments?.find((one) => one.id === id)?.name,
    file: (id: number) => files.find((one) => one.data?.id === id)?.data?.fileName,
    collection: (slug: string) => collections?.find((one) => one.slug === slug),
    token: (id: number) => tokens?.find((one) => one.id === id)?.name,
    webhook: (id: number) => webhooks?.find((one) => one.id === id)?.name,
    user: (id: number) => members?.find((one) => one.userId === id)?.name ?? events.find((event) => event.actor.kind === 'user' && event.actor.id === id)?.actor.name,
    members: members ?? [],
  };
}

const entriesOf = (events: readonly Event[], collection: string) => [...new Set(events.flatMap((event) => (event.entryId && event.collection === collection ? [event.entryId] : [])))].slice(0, maxLimit).sort((a, b) => a - b);

/** The ids of the releases that events are about, unless they are deleted. */
function releasesOf(events: readonly Event[], inProject: boolean) {
  const own = events.filter(({ entryId, releaseId }) => releaseId && !entryId);
  const deleted = new Set(own.flatMap(({ type, releaseId }) => (type === 'release.deleted' ? [releaseId] : [])));
  return inProject ? [...new Set(own.flatMap(({ releaseId }) => (releaseId && !deleted.has(releaseId) ? [releaseId] : [])))] : [];
}

/** The ids of what events of a kind are about, unless it is deleted. */
function idsAbout(events: readonly Event[], kind: string, inProject: boolean) {
  const deleted = new Set(events.flatMap((event) => (event.type === `${kind}deleted` ? [event.subjectId] : [])));
  return inProject ? [...new Set(events.flatMap(({ type, subjectId }) => (type.startsWith(kind) && subjectId && !deleted.has(subjectId) ? [subjectId] : [])))] : [];
}

/** The titles of entries, with or without a published version, as pairs of id and title. */
const entryTitles = (collection: Schemas['Collection'], ids: readonly number[]) =>
  queryOptions({
    queryKey: ['titles', 'drafts', collection.id, ids],
    queryFn: async ({ signal }) => {
      const pairs = [['where[id][in]', ids.join(',')], ['locale', '*'], ['state', 'with_draft'], ['limit', maxLimit]] as const;
      const path = { projectId: collection.projectId, collectionId: collection.id };
      const page = await dataOf(api.GET('/api/projects/{projectId}/collections/{collectionId}/content', { params: { path }, querySerializer: () => queryString(pairs), signal }));
      return page.data.map((entry) => [entry.id, titleOf(collection, entry.fields)] as const);
    },
    enabled: ids.length > 0,
    staleTime: 60_000,
  });

export type Names = ReturnType<typeof useNames>;

/** The names of actors by their value in the filter: the members, and all who made one of the events. */
export function actorsOf(events: readonly Event[], members: Names['members'], system: string): Map<string, string> {
  const found = new Map(members.map((member) => [`user:${member.userId}`, member.name]));
  for (const { actor } of events) found.set(actorKey(actor), actor.kind === 'system' ? system : actor.name);
  return new Map([...found].sort(([, a], [, b]) => a.localeCompare(b)));
}

/** The value of an actor in the filter. */
export const actorKey = ({ kind, id }: Event['actor']) => (kind === 'system' ? kind : `${kind}:${id}`);
