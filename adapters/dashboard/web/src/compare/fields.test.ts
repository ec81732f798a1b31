import { expect, test } from 'vitest';
import type { Schemas } from '../api/client';
import { compareFields, type Version } from './fields';

const field = (name: string, type: Schemas['Field']['type'], more: Partial<Schemas['Field']> = {}) =>
  ({ name, label: name, type, required: false, unique: false, multiple: false, hidden: false, indexed: false, searchable: false, ...more }) satisfies Schemas['Field'];
const definition = [field('title', 'text'), field('cover', 'media'), field('tags', 'text', { multiple: true }), field('meta', 'json'), field('note', 'text', { hidden: true })];
const version = (fields: Record<string, unknown>, caption = 'a'): Version => ({ fields, media: { 3: { hash: 'h', fileName: 'f', caption, tags: [] } } });
const changed = (before: Version | null, after: Version) =>
  compareFields(definition, before, after)
    .filter((c) => c.changed)
    .map((c) => c.field.name);

test('the order of JSON members and empty values are not changes', () => {
  expect(changed(version({ title: 'A', meta: { a: 1, b: 2 }, tags: [] }), version({ title: 'A', meta: { b: 2, a: 1 } }))).toEqual([]);
});

test('a new caption of the same media item is a change', () => {
  expect(changed(version({ cover: 3 }), version({ cover: 3 }, 'b'))).toEqual(['cover']);
  expect(changed(version({ title: 'A' }), version({ title: 'A' }, 'b'))).toEqual([]);
});

test('a first publication changes every field with a value', () => {
  expect(changed(null, version({ title: 'A', tags: ['x'] }))).toEqual(['title', 'tags']);
});

test('hidden fields are omitted, and fields without a definition come last', () => {
  const all = compareFields(definition, null, version({ note: 'x', old: '<p>y</p>', count: 3 }));
  expect(all.map((c) => [c.field.name, c.field.type])).toEqual([
    ['title', 'text'],
    ['cover', 'media'],
    ['tags', 'text'],
    ['meta', 'json'],
    ['count', 'number'],
    ['old', 'richtext'],
  ]);
});
