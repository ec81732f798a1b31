import type { Schemas } from '../../api/client';

export type Status = Schemas['Delivery']['status'];

export const statuses = ['gathering', 'waiting', 'delivered', 'parked'] as const satisfies readonly Status[];

/** The state of the page of a webhook in its URL. */
export type WebhookSearch = { status?: Status };

export const parseWebhookSearch = (raw: Record<string, unknown>): WebhookSearch => ({ status: statuses.find((status) => status === raw.status) });
