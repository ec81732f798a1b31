import { eventTypes } from '../../api/eventtypes';
import { chosen, type EventPattern } from './choice';

type Chosen = {
  events: readonly EventPattern[];
  collections: readonly string[];
  locales: readonly string[];
  /** Whether several events are one message. */
  gathers: boolean;
};

type Place = { tenantId: number; projectId: number; collection: string; locale: string };

const time = '2026-03-02T09:30:00.000Z';

/** An example of the body that a webhook gets; undefined if it gets no events. */
export function exampleBody(webhook: Chosen, project: { id: number; tenantId: number; locales: string[] }, collections: readonly { slug: string }[]) {
  const types = chosen(webhook.events);
  // What most receivers wait for, if they get it.
  const type = types.find((one) => one === 'entry.published') ?? types[0];
  if (!type) return undefined;
  const place = {
    tenantId: project.tenantId,
    projectId: project.id,
    collection: webhook.collections[0] ?? collections[0]?.slug ?? 'articles',
    locale: webhook.locales[0] ?? project.locales[0] ?? 'en',
  };
  if (!webhook.gathers) return { type, timestamp: time, data: eventOf(type, 1207, place) };
  const events = [eventOf(type, 1207, place), eventOf(types.find((one) => one !== type) ?? type, 1208, place)];
  return { type: 'batch', timestamp: time, data: { count: events.length, events, truncated: false } };
}

/** An event as webhooks get it, with the members that its type has. */
function eventOf(type: (typeof eventTypes)[number], id: number, { tenantId, projectId, collection, locale }: Place) {
  const common = { id, type, at: time, actor: { kind: 'user', id: 6 }, tenantId, projectId };
  const hash = '9f86d081884c7d659a2feaa0c55ad015a3bf4f1b2b0b822cd15d6c15b0f00a08';
  const kind = type.slice(0, type.indexOf('.'));
  if (kind === 'entry') return { ...common, collection, entryId: 42, locale, ...(type === 'entry.published' && { contentHash: hash }), translationGroup: 40, ...(type === 'entry.published' && { slug: 'first-light' }) };
  if (kind === 'publication') return { ...common, collection, entryId: 42, locale };
  if (kind === 'request') return { ...common, collection, entryId: 42, locale, contentHash: hash, releaseNumber: 'CR-2026-0001' };
  if (kind === 'import') return { ...common, counts: { created: 20, updated: 2, unchanged: 0, refused: 0 }, collections: [collection] };
  if (kind === 'collection') return { ...common, collection };
  if (kind === 'project' || kind === 'workflow') return common;
  return { ...common, subjectId: 12 };
}
