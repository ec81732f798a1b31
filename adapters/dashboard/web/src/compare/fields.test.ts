import { expect, test } from 'vitest';
import type { Schemas } from '../api/client';
import { compareFields, type Change, type Version } from './fields';

const field = (name: string, type: Schemas['Field']['type'], more: Partial<Schemas['Field']> = {}) =>
  ({ name, label: name, type, required: false, unique: false, multiple: false, hidden: false, indexed: false, searchable: false, ...more }) satisfies Schemas['Field'];
const definition = [field('title', 'text'), field('cover', 'media'), field('tags', 'text', { multiple: true }), field('meta', 'json'), field('note', 'text', { hidden: true })];
const version = (fields: Record<string, unknown>, caption = 'a'): Version => ({ fields, media: { 3: { hash: 'h', fileName: 'f', caption, tags: [] } } });
const change = (path: string, more: Partial<Change> = {}): Change => ({ path, change: 'changed', fields: [{ path, before: null, after: null }], ...more });
const changed = (before: Version | null, after: Version, changes?: Change[]) =>
  compareFields(definition, before, after, new Map(), changes)
    .filter((c) => c.changed)
    .map((c) => c.field.name);

test('what the API does not say is not a change, nor what shows the same', () => {
  expect(changed(version({ title: 'A', meta: { a: 1, b: 2 }, tags: [] }), version({ title: 'A', meta: { b: 2, a: 1 } }))).toEqual([]);
  expect(changed(version({ tags: [] }), version({}), [change('tags')])).toEqual([]);
  expect(changed(version({ title: 'A' }), version({ title: 'B' }), [change('title')])).toEqual(['title']);
});

test('a new caption of the same media item is a change', () => {
  const worded = [change('@media', { key: '3' })];
  expect(changed(version({ cover: 3 }), version({ cover: 3 }, 'b'), worded)).toEqual(['cover']);
  expect(changed(version({ title: 'A' }), version({ title: 'A' }, 'b'), worded)).toEqual([]);
});

test('a first publication changes every field with a value', () => {
  expect(changed(null, version({ title: 'A', tags: ['x'] }))).toEqual(['title', 'tags']);
});

test('hidden fields are omitted, and fields without a definition come last', () => {
  const all = compareFields(definition, null, version({ note: 'x', old: '<p>y</p>', count: 3 }), new Map());
  expect(all.map((c) => [c.field.name, c.field.type])).toEqual([
    ['title', 'text'],
    ['cover', 'media'],
    ['tags', 'text'],
    ['meta', 'json'],
    ['count', 'number'],
    ['old', 'richtext'],
  ]);
});

test('fields without a definition, of which the API says nothing, change with their values', () => {
  expect(changed(version({ old: { a: 1, b: 2 }, count: 3 }), version({ old: { b: 2, a: 1 }, count: 4 }))).toEqual(['count']);
});
