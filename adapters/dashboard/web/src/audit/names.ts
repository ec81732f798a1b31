import { useQuery } from '@tanstack/react-query';
import { $api } from '../api/client';
import { collectionsQuery } from '../api/queries';
import { membersQuery } from '../settings/people/places';
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
  return {
    collection: (slug: string) => collections?.find((one) => one.slug === slug),
    token: (id: number) => tokens?.find((one) => one.id === id)?.name,
    webhook: (id: number) => webhooks?.find((one) => one.id === id)?.name,
    user: (id: number) => members?.find((one) => one.userId === id)?.name ?? events.find((event) => event.actor.kind === 'user' && event.actor.id === id)?.actor.name,
    members: members ?? [],
  };
}

export type Names = ReturnType<typeof useNames>;

/** The names of actors by their value in the filter: the members, and all who made one of the events. */
export function actorsOf(events: readonly Event[], members: Names['members'], system: string): Map<string, string> {
  const found = new Map(members.map((member) => [`user:${member.userId}`, member.name]));
  for (const { actor } of events) found.set(actorKey(actor), actor.kind === 'system' ? system : actor.name);
  return new Map([...found].sort(([, a], [, b]) => a.localeCompare(b)));
}

/** The value of an actor in the filter. */
export const actorKey = ({ kind, id }: Event['actor']) => (kind === 'system' ? kind : `${kind}:${id}`);
