import { expect, test } from 'vitest';
import { changeOf, inputOf, newField, optionsOf, valuesOf } from './fieldvalues';

test('a field keeps its options when it passes through the form', () => {
  const field = { name: 'rating', label: 'Rating', type: 'number' as const, required: true, unique: false, multiple: false, hidden: false, min: 0, max: 5, indexed: true, searchable: false };
  expect(inputOf(valuesOf(field))).toMatchObject({ name: 'rating', type: 'number', required: true, min: 0, max: 5, indexed: true });
});

test('options that the type does not support are omitted', () => {
  const input = inputOf({ ...newField('boolean'), name: 'on', unique: true, min: 1, pattern: 'x', choices: 'a', source: 'title', collection: 'articles', searchable: true });
  expect(input).toEqual({ name: 'on', label: '', type: 'boolean', required: false, hidden: false, multiple: false, unique: false, searchable: false, indexed: null });
});

test('min and max of a list of texts limit its length, and it cannot be unique', () => {
  expect(optionsOf({ type: 'text', multiple: true })).toMatchObject({ bounds: 'count', unique: false, initial: undefined });
});

test('choices are trimmed lines without empty ones', () => {
  expect(inputOf({ ...newField('enumeration'), choices: ' news \n\nopinion' }).choices).toEqual(['news', 'opinion']);
});

test('a change contains the changed options, without immutable ones', () => {
  expect(changeOf({ label: 'New', choices: 'a\nb', max: null, type: 'text', multiple: true })).toEqual({ label: 'New', choices: ['a', 'b'], max: null });
});
