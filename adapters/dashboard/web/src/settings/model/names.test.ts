import { expect, test } from 'vitest';
import { collectionSlugOf, fieldNameOf, removedShape } from './names';

test.each([
  ['press-releases', 'press-releases'],
  ['snake_case', 'snake-case'],
  ['a'.repeat(62) + '-b', 'a'.repeat(62)],
  ['', ''],
])('collectionSlugOf(%j)', (slug, want) => expect(collectionSlugOf(slug)).toBe(want));

test.each([
  ['published-on', 'publishedOn'],
  ['ueberschrift', 'ueberschrift'],
  ['2nd-title', 'ndTitle'],
  ['2-title', 'title'],
  ['snake_case', 'snakeCase'],
  ['', ''],
])('fieldNameOf(%j)', (slug, want) => expect(fieldNameOf(slug)).toBe(want));

test.each([
  ['text', { type: 'text', target: undefined, multiple: false }],
  ['number, multiple', { type: 'number', target: undefined, multiple: true }],
  ['relation to press-people, multiple', { type: 'relation', target: 'press-people', multiple: true }],
  ['relation to several collections', { type: 'relation', target: 'several collections', multiple: false }],
  ['group of seo', { type: 'group', target: 'seo', multiple: false }],
])('removedShape reads %j from the fault of the API', (shape, want) => {
  expect(removedShape(`is that of a removed field whose values entries or their history still have: it comes back only as ${shape}`)).toEqual(want);
});

test('another fault names no removed field', () => {
  expect(removedShape('is reserved')).toBeUndefined();
  expect(removedShape(undefined)).toBeUndefined();
});
