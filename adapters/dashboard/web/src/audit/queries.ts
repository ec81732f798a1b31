import { infiniteQueryOptions } from '@tanstack/react-query';
import { api, dataOf, type Schemas } from '../api/client';
import { addDays, startOf } from '../overview/days';
import type { AuditSearch } from './search';

export type Event = Schemas['Event'];

/** Whose events: those of a Project, or those of a tenant with its Projects. */
export type Scope = { kind: 'project' | 'tenant'; id: number };

/** Fetches one page of the events that search selects, the newest first. after is meta.next of the page before. */
export function fetchEvents(scope: Scope, search: AuditSearch, timeZone: string, page: { after?: number; limit: number; signal?: AbortSignal }): Promise<Schemas['EventList']> {
  const { type, actor, entry, day } = search;
  const { signal, ...window } = page;
  const query = { order: 'newest' as const, type, actor, entry, ...(day && { since: startOf(day, timeZone), until: startOf(addDays(day, 1), timeZone) }), ...window };
  if (scope.kind === 'tenant') return dataOf(api.GET('/api/tenants/{tenantId}/events', { params: { path: { tenantId: scope.id }, query }, signal }));
  return dataOf(api.GET('/api/projects/{projectId}/events', { params: { path: { projectId: scope.id }, query }, signal }));
}

export const eventsQuery = (scope: Scope, search: AuditSearch, timeZone: string) =>
  infiniteQueryOptions({
    queryKey: ['events', scope.kind, scope.id, search, timeZone],
    queryFn: ({ pageParam, signal }) => fetchEvents(scope, search, timeZone, { after: pageParam, limit: 50, signal }),
    initialPageParam: undefined as number | undefined,
    getNextPageParam: ({ meta }) => meta.next ?? undefined,
  });
