import type { Schemas } from '../../api/client';
import { ApiError } from '../../api/error';
import type { EventPattern } from './choice';

export type Header = { name: string; value: string };

/** The values of the form for a webhook. */
export type WebhookValues = {
  name: string;
  url: string;
  events: EventPattern[];
  collections: string[];
  locales: string[];
  imports: boolean;
  active: boolean;
  /** Whether several events are one message, and its times in seconds. */
  coalesce: { on: boolean; quiet: number | null; most: number | null };
  /** New headers; null keeps the present ones, whose values are never shown. */
  headers: Header[] | null;
};

export const newWebhook: WebhookValues = {
  name: '',
  url: '',
  events: ['entry.published', 'entry.unpublished'],
  collections: [],
  locales: [],
  imports: true,
  active: true,
  coalesce: { on: false, quiet: 10, most: 60 },
  headers: [],
};

/** The form values of a webhook. */
export const valuesOf = ({ name, url, events, collections, locales, imports, active, coalesce, headers }: Schemas['Webhook']): WebhookValues => ({
  name,
  url,
  events,
  collections,
  locales,
  imports,
  active,
  coalesce: coalesce ? { on: true, ...coalesce } : newWebhook.coalesce,
  headers: headers.length > 0 ? null : [],
});

/** The request body for the given members of the values. */
export function bodyOf({ coalesce, headers, ...plain }: Partial<WebhookValues>) {
  return {
    ...plain,
    ...(coalesce && { coalesce: coalesce.on ? { quiet: coalesce.quiet ?? 0, most: coalesce.most ?? 0 } : null }),
    ...(headers && { headers: headersOf(headers) }),
  };
}

/** The headers by name. An empty row is no header. */
function headersOf(rows: readonly Header[]) {
  const given = rows.map(({ name, value }) => [name.trim(), value.trim()] as const).filter(([name, value]) => name !== '' || value !== '');
  const twice = given.find(([name], i) => given.findIndex(([other]) => other === name) < i);
  if (twice) throw new ApiError(422, { code: 'invalid', errors: [{ location: `headers.${twice[0]}`, message: 'is there twice' }] });
  return Object.fromEntries(given);
}
