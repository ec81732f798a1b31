import { expect, test } from 'vitest';
import { around } from './queue';

const at = (entryId: number) => ({ projectId: 1, entryId });
const waiting = [at(1), at(2), at(3)];

test.each([
  [1, { position: 1, previous: undefined, next: at(2), after: at(2) }],
  [2, { position: 2, previous: at(1), next: at(3), after: at(3) }],
  [3, { position: 3, previous: at(2), next: undefined, after: at(1) }],
  [9, { position: 0, previous: undefined, next: at(1), after: at(1) }],
])('position and neighbours of entry %d', (entry, found) => {
  expect(around(waiting, at(entry))).toEqual(found);
});

test('no request follows the only one', () => {
  expect(around([at(1)], at(1)).after).toBeUndefined();
  expect(around([], at(1)).after).toBeUndefined();
});
