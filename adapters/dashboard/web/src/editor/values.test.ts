import { expect, test } from 'vitest';
import { merge } from './merge';
import { same } from './values';

test.each([
  [null, undefined, true],
  ['', null, true],
  [[], null, true],
  [0, null, false],
  [false, null, false],
  [{ a: [1, { b: null }] }, { a: [1, { b: null }] }, true],
  [{ a: 1, b: 2 }, { b: 2, a: 1 }, true],
  [{ a: null }, { a: '' }, false],
  [{ a: null }, {}, false],
  [{ a: [] }, { a: null }, false],
  [{ a: [] }, { a: [] }, true],
  [[1, 2], [2, 1], false],
  [[], {}, false],
])('%j and %j', (a, b, equal) => expect([same(a, b), same(b, a)]).toEqual([equal, equal]));

test('merges field by field', () => {
  const base = { a: 1, b: 1, c: 1, d: 1 };
  expect(merge(base, { a: 2, b: 2, c: 2 }, { a: 1, b: 3, c: 2, d: 4 })).toEqual({ kept: ['a', 'b'], conflicts: [{ name: 'b', base: 1, mine: 2, theirs: 3 }], merged: {} });
});
