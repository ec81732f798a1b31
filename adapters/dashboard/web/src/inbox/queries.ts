import { keepPreviousData } from '@tanstack/react-query';
import { $api, type Schemas } from '../api/client';
import type { InboxSearch } from './search';

export type Tab = NonNullable<InboxSearch['tab']>;
export type ListTab = Exclude<Tab, 'failed'>;

export const rowsPerPage = 25;
const poll = { refetchInterval: 30_000, placeholderData: keepPreviousData }; // ms

/** One page of the requests of a tab. Without sort, the API uses its default order. */
export function requestsQuery(tab: ListTab, { project, sort, page = 1, comments, delegated, overdue }: InboxSearch, perPage = rowsPerPage) {
  const way = sort === undefined || sort === 'due' ? undefined : sort === 'newest' ? 'desc' : 'asc';
  const submitted = sort === 'due' ? ('dueAt:asc' as const) : way && (`submittedAt:${way}` as const);
  const some = { page, perPage, project };
  const query = { ...some, comments: comments && ('open' as const) };
  const of = {
    waiting: $api.queryOptions('get', '/api/approvals/pending', { params: { query: { ...query, delegated: delegated && ('true' as const), overdue: overdue && ('true' as const), sort: submitted } } }, poll),
    submitted: $api.queryOptions('get', '/api/approvals/submitted', { params: { query: { ...query, overdue: overdue && ('true' as const), sort: submitted } } }, poll),
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
  $api.queryOptions('get', '/api/approvals/pending', { params: { query: { page: 1, perPage: 100, project, sort: sort === 'due' ? 'dueAt:asc' : sort === 'newest' ? 'submittedAt:desc' : undefined } } }, { placeholderData: keepPreviousData });

/** Whether a request is past a deadline or, without one, was submitted more than two days ago. */
export const late = ({ submittedAt, dueAt, overdue }: Pick<Schemas['ApprovalRequest'], 'submittedAt' | 'dueAt' | 'overdue'>, now = Date.now()) => overdue || (!dueAt && now - Date.parse(submittedAt) > 2 * 86_400_000);
