import { expect, test } from 'vitest';
import { collectionSlugOf, fieldNameOf } from './names';

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
