import { expect, test } from 'vitest';
import { exampleBody } from './example';

const project = { id: 2, tenantId: 1, locales: ['de', 'en'] };
const webhook = { events: ['media.*', 'entry.*'] as const, collections: [], locales: [], gathers: false };

test('the example is what a chosen event looks like', () => {
  expect(exampleBody(webhook, project, [{ slug: 'news' }])).toMatchObject({ type: 'entry.published', data: { type: 'entry.published', projectId: 2, collection: 'news', locale: 'de', slug: 'first-light' } });
  expect(exampleBody({ ...webhook, collections: ['posts'], locales: ['en'] }, project, [{ slug: 'news' }])).toMatchObject({ data: { collection: 'posts', locale: 'en' } });
  expect(exampleBody({ ...webhook, events: ['media.*'] }, project, [])).toMatchObject({ type: 'media.created', data: { subjectId: 12 } });
  expect(exampleBody({ ...webhook, events: [] }, project, [])).toBeUndefined();
});

test('gathered events are a batch', () => {
  expect(exampleBody({ ...webhook, events: ['media.deleted'], gathers: true }, project, [])).toMatchObject({ type: 'batch', data: { count: 2, truncated: false, events: [{ id: 1207 }, { id: 1208 }] } });
});
