import { infiniteQueryOptions } from '@tanstack/react-query';
import { $api, api, dataOf, type Schemas } from '../../api/client';
import type { Status } from './search';

export type Webhook = Schemas['Webhook'];
export type Listed = Schemas['ListedWebhook'];
export type Delivery = Schemas['Delivery'];

/** The webhooks of a Project. While a latest delivery is on its way, they are fetched again after 5 s. */
export const webhooksQuery = (projectId: number) =>
  $api.queryOptions('get', '/api/projects/{projectId}/webhooks', { params: { path: { projectId } } }, {
    refetchInterval: ({ state }) => state.data?.data.some(({ lastDelivery }) => lastDelivery && ['gathering', 'waiting'].includes(lastDelivery.status)) && 5_000,
  });

type Path = { projectId: number; webhookId: number };

/** The key of all lists of the deliveries of a webhook. */
const deliveriesKey = (path: Path) => ['deliveries', path.projectId, path.webhookId];

/** The deliveries of a webhook, page by page. While one is on its way, they are fetched again after 3 s. */
export const deliveriesQuery = (path: Path, status: Status | undefined) =>
  infiniteQueryOptions({
    queryKey: [...deliveriesKey(path), status],
    queryFn: ({ pageParam, signal }) =>
      dataOf(api.GET('/api/projects/{projectId}/webhooks/{webhookId}/deliveries', { params: { path, query: { status, after: pageParam, limit: 25 } }, signal })),
    initialPageParam: undefined as number | undefined,
    getNextPageParam: ({ meta }) => meta.next ?? undefined,
    refetchInterval: ({ state }) => (state.data?.pages.some((page) => page.data.some((d) => d.endedAt === null)) ? 3_000 : 30_000),
  });

/** The keys of the queries that change when something is sent. */
export const sentKeys = (path: Path) => [deliveriesKey(path), webhooksQuery(path.projectId).queryKey];
