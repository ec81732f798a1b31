import { expect, test } from 'vitest';
import { moved, placed } from './order';

const list = ['a', 'b', 'c', 'd'].map((id) => ({ id }));
const names = (items: { id: string }[]) => items.map((item) => item.id).join('');

test.each([
  [0, 1, 'bacd'],
  [3, 0, 'dabc'],
  [0, 3, 'bcda'],
  [1, 1, 'abcd'],
])('moved from %i to %i', (from, to, want) => expect(names(moved(list, from, to))).toBe(want));

test.each([
  [['a'], 'c', 'after', 'bcad'],
  [['d'], 'a', 'before', 'dabc'],
  [['c', 'a'], 'd', 'after', 'bdac'],
  [['b'], 'b', 'after', 'abcd'],
] as const)('%j placed beside %s (%s)', (ids, target, where, want) => expect(names(placed(list, new Set(ids), target, where))).toBe(want));
