import { useMemo } from 'react';
import { $api, type Schemas } from '../api/client';

const most = 100; // requests per response, the limit of the API

/** The requests of the user that are past a deadline or their time: how many wait for the user and how many it submitted, and the requests. */
export function useOverdue(project: number | undefined) {
  const query = { overdue: 'true' as const, project, perPage: most };
  const waiting = $api.useQuery('get', '/api/approvals/pending', { params: { query } }, { refetchInterval: 60_000 }).data;
  const submitted = $api.useQuery('get', '/api/approvals/submitted', { params: { query } }, { refetchInterval: 60_000 }).data;
  const requests = useMemo(() => [...new Map<number, Schemas['ApprovalRequest']>([...(waiting?.data ?? []), ...(submitted?.data ?? [])].map((request) => [request.id, request])).values()], [waiting, submitted]);
  return { waiting: waiting?.meta.total ?? 0, submitted: submitted?.meta.total ?? 0, requests };
}
