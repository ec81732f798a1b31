import { expect, test } from 'vitest';
import { inTurns } from './turns';

test('a failure does not affect the other items', async () => {
  let running = 0;
  let most = 0;
  const results = await inTurns([1, 2, 3, 4, 5, 6], async (n) => {
    most = Math.max(most, ++running);
    await new Promise((resolve) => setTimeout(resolve, 10 - n));
    running--;
    if (n === 3) throw new Error('three');
  });
  expect(results.map((r) => [r.item, r.error !== undefined])).toEqual([1, 2, 3, 4, 5, 6].map((n) => [n, n === 3]));
  expect(most).toBeLessThanOrEqual(4);
});
