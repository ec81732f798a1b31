import { expect, test } from 'vitest';
import { byTurns } from './related';

test('results of several collections come by turns', () => {
  expect(byTurns([['a', 'b', 'c'], [], ['x']])).toEqual(['a', 'x', 'b', 'c']);
  expect(byTurns([])).toEqual([]);
});
