import { expect, test } from 'vitest';
import { around } from './queue';

const at = (entryId: number | null, releaseId: number | null = null) => ({ projectId: 1, entryId, releaseId });
const place = (entryId: number) => ({ projectId: 1, collectionId: 1, entryId });
const waiting = [at(1), at(2), at(3)];

test.each([
  [1, { position: 1, previous: undefined, next: at(2), after: at(2) }],
  [2, { position: 2, previous: at(1), next: at(3), after: at(3) }],
  [3, { position: 3, previous: at(2), next: undefined, after: at(1) }],
  [9, { position: 0, previous: undefined, next: at(1), after: at(1) }],
])('position and neighbours of entry %d', (entry, found) => {
  expect(around(waiting, place(entry))).toEqual(found);
});

test('a release has its place between entries', () => {
  const mixed = [at(1), at(null, 1), at(2)];
  expect(around(mixed, { projectId: 1, releaseId: 1 })).toMatchObject({ position: 2, previous: at(1), next: at(2) });
  expect(around(mixed, place(1))).toMatchObject({ position: 1, next: at(null, 1) });
  expect(around(mixed, { projectId: 2, releaseId: 1 }).position).toBe(0);
});

test('no request follows the only one', () => {
  expect(around([at(1)], place(1)).after).toBeUndefined();
  expect(around([], place(1)).after).toBeUndefined();
});
