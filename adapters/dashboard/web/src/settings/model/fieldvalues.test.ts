import { expect, test } from 'vitest';
import { admits, changeOf, inputOf, newField, optionsOf, sourceOf, valuesOf } from './fieldvalues';

test('a field keeps its options when it passes through the form', () => {
  const field = { name: 'rating', label: 'Rating', type: 'number' as const, required: true, unique: false, multiple: false, hidden: false, min: 0, max: 5, indexed: true, searchable: false };
  expect(inputOf(valuesOf(field), 'collections')).toMatchObject({ name: 'rating', type: 'number', required: true, min: 0, max: 5, indexed: true });
});

test('options that the type does not support are omitted', () => {
  const input = inputOf({ ...newField('boolean'), name: 'on', unique: true, min: 1, pattern: 'x', choices: 'a', source: 'title', collection: 'articles', component: 'hero', components: ['hero'], filterable: true, searchable: true }, 'collections');
  expect(input).toEqual({ name: 'on', label: '', type: 'boolean', required: false, hidden: false, multiple: false, unique: false, searchable: false, indexed: null });
});

test('min and max of a list of texts limit its length, and it cannot be unique', () => {
  expect(optionsOf({ ...newField('text'), multiple: true }, 'collections')).toMatchObject({ bounds: 'count', unique: false, initial: undefined });
});

test('a slug is made from the only required text, else from the title', () => {
  const text = (name: string, more = {}) => ({ ...newField('text'), name, ...more }) as never;
  expect(sourceOf([text('kicker'), text('headline', { required: true })])).toBe('headline');
  expect(sourceOf([text('kicker', { required: true }), text('title', { required: true })])).toBe('title');
  expect(sourceOf([text('kicker'), text('tags', { multiple: true, required: true })])).toBe('kicker');
  expect(sourceOf([text('notes', { type: 'longtext', required: true })])).toBe('');
});

test('choices are trimmed lines without empty ones', () => {
  expect(inputOf({ ...newField('enumeration'), choices: ' news \n\nopinion' }, 'collections').choices).toEqual(['news', 'opinion']);
});

test('a change contains the changed options, without immutable ones', () => {
  expect(changeOf({ label: 'New', choices: 'a\nb', max: null, type: 'text', multiple: true })).toEqual({ label: 'New', choices: ['a', 'b'], max: null });
});

test('a group has one component, blocks have several in their order', () => {
  expect(inputOf({ ...newField('group'), name: 'seo', component: 'seo', components: ['hero'] }, 'collections')).toMatchObject({ type: 'group', component: 'seo' });
  expect(inputOf({ ...newField('blocks'), name: 'body', components: ['hero', 'quote'], min: 1 }, 'collections')).toMatchObject({ type: 'blocks', components: ['hero', 'quote'], min: 1 });
  expect(changeOf({ component: 'other', components: ['quote'] })).toEqual({ components: ['quote'] });
});

test('min and max of blocks and of a list of groups limit the items, a single group has no limits', () => {
  expect(optionsOf(newField('blocks'), 'collections').bounds).toBe('items');
  expect(optionsOf({ ...newField('group'), multiple: true }, 'collections').bounds).toBe('items');
  expect(optionsOf(newField('group'), 'collections').bounds).toBeUndefined();
});

test('a field of a component is not hidden or unique, and has an index only if it is filterable', () => {
  const values = { ...newField('text'), name: 'title', hidden: true, unique: true, indexed: true, searchable: true };
  expect(inputOf(values, 'components')).toMatchObject({ hidden: false, unique: false, indexed: null, searchable: true });
  expect(inputOf({ ...values, filterable: true }, 'components')).toMatchObject({ filterable: true, searchable: true });
  expect(optionsOf(newField('longtext'), 'components')).toMatchObject({ filterable: false, searchable: true });
  expect(optionsOf(newField('relation'), 'components').filterable).toBe(true);
  expect([admits('components', 'password'), admits('collections', 'password'), admits('components', 'group')]).toEqual([false, true, true]);
});

test('a relation leads to one collection or to several, whose list changes', () => {
  const values = { ...newField('relation'), name: 'about', collection: 'articles', collections: ['articles', 'people'] };
  expect(inputOf(values, 'collections')).toMatchObject({ type: 'relation', collection: 'articles' });
  expect(inputOf(values, 'collections')).not.toHaveProperty('collections');
  const several = inputOf({ ...values, several: true }, 'components');
  expect(several).toMatchObject({ type: 'relation', collections: ['articles', 'people'] });
  expect(several).not.toHaveProperty('collection');
  expect(changeOf({ several: true, collection: 'x', collections: ['people'] })).toEqual({ collections: ['people'] });
  const stored = { name: 'about', label: 'About', type: 'relation' as const, required: false, unique: false, multiple: true, hidden: false, indexed: true, searchable: false, collections: ['people'] };
  expect(inputOf(valuesOf(stored), 'collections')).toMatchObject({ collections: ['people'], multiple: true });
});
