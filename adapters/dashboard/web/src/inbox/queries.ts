import { keepPreviousData } from '@tanstack/react-query';
import { $api } from '../api/client';
import type { InboxSearch } from './search';

export type Tab = NonNullable<InboxSearch['tab']>;
export type ListTab = Exclude<Tab, 'failed'>;

export const rowsPerPage = 25;
const poll = { refetchInterval: 30_000, placeholderData: keepPreviousData }; // ms

/** One page of the requests of a tab. Without sort, the API uses its default order. */
export function requestsQuery(tab: ListTab, { project, sort, page = 1, comments, delegated }: InboxSearch, perPage = rowsPerPage) {
  const way = sort && (sort === 'newest' ? 'desc' : 'asc');
  const some = { page, perPage, project };
  const query = { ...some, comments: comments && ('open' as const) };
  const of = {
    waiting: $api.queryOptions('get', '/api/approvals/pending', { params: { query: { ...query, delegated: delegated && ('true' as const), sort: way && `submittedAt:${way}` } } }, poll),
    submitted: $api.queryOptions('get', '/api/approvals/submitted', { params: { query: { ...query, sort: way && `submittedAt:${way}` } } }, poll),
    returned: $api.queryOptions('get', '/api/approvals/returned', { params: { query: { ...query, sort: way && `submittedAt:${way}` } } }, poll),
    scheduled: $api.queryOptions('get', '/api/approvals/scheduled', { params: { query: { ...query, sort: way && `scheduledPublishAt:${way}` } } }, poll),
    decided: $api.queryOptions('get', '/api/approvals/decided', { params: { query: { ...query, sort: way && `decidedAt:${way}` } } }, poll),
    unreachable: $api.queryOptions('get', '/api/approvals/unreachable', { params: { query: some } }, poll),
  };
  return of[tab] as typeof of.waiting;
}

/** One page of the failed publications. */
export const failedQuery = ({ project, page = 1 }: Pick<InboxSearch, 'project' | 'page'>) =>
  $api.queryOptions('get', '/api/approvals/failed', { params: { query: { page, perPage: rowsPerPage, project } } }, { refetchInterval: 60_000, placeholderData: keepPreviousData });

/** The requests that wait for the user, in the order of the inbox. It determines the next request in a review. */
export const queueQuery = ({ project, sort }: Pick<InboxSearch, 'project' | 'sort'>) =>
  $api.queryOptions('get', '/api/approvals/pending', { params: { query: { page: 1, perPage: 100, project, sort: sort === 'newest' ? 'submittedAt:desc' : undefined } } }, { placeholderData: keepPreviousData });

/** Whether a request was submitted more than two days ago. */
export const late = (submittedAt: string, now = Date.now()) => now - Date.parse(submittedAt) > 2 * 86_400_000;
