import { expect, test } from 'vitest';
import { changeOf, inputOf, newField, optionsOf, valuesOf } from './fieldvalues';

test('a field keeps its options through the form', () => {
  const field = { name: 'rating', label: 'Rating', type: 'number' as const, required: true, unique: false, multiple: false, hidden: false, min: 0, max: 5, indexed: true, searchable: false };
  expect(inputOf(valuesOf(field))).toMatchObject({ name: 'rating', type: 'number', required: true, min: 0, max: 5, indexed: true });
});

test('options that do not fit the type are left out', () => {
  const input = inputOf({ ...newField('boolean'), name: 'on', unique: true, min: 1, pattern: 'x', choices: 'a', source: 'title', collection: 'articles', searchable: true });
  expect(input).toEqual({ name: 'on', label: '', type: 'boolean', required: false, hidden: false, multiple: false, unique: false, searchable: false, indexed: null });
});

test('a list of texts has bounds of its count, and no unique values', () => {
  expect(optionsOf({ type: 'text', multiple: true })).toMatchObject({ bounds: 'count', unique: false, initial: undefined });
});

test('choices are lines without blanks', () => {
  expect(inputOf({ ...newField('enumeration'), choices: ' news \n\nopinion' }).choices).toEqual(['news', 'opinion']);
});

test('a change holds what changed, and not what is immutable', () => {
  expect(changeOf({ label: 'New', choices: 'a\nb', max: null, type: 'text', multiple: true })).toEqual({ label: 'New', choices: ['a', 'b'], max: null });
});
