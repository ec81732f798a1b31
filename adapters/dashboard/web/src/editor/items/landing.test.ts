import { expect, test } from 'vitest';
import { landing, shifts } from './landing';

const rows = Array.from({ length: 6 }, (_, i) => ({ top: 96 * i, height: 96 }));

test.each([
  [0, 0, 0],
  [0, 40, 0],
  [0, 60, 1],
  [0, 200, 2],
  [0, 5000, 5],
  [4, -60, 3],
  [4, -200, 2],
  [4, -5000, 0],
  [2, 10, 2],
])('row %i dragged by %i px lands at %i', (from, dy, to) => expect(landing(rows, from, dy)).toBe(to));

test('a small row passes a tall one at its middle', () => {
  const mixed = [{ top: 0, height: 50 }, { top: 50, height: 400 }, { top: 450, height: 50 }];
  expect([landing(mixed, 0, 190), landing(mixed, 0, 210)]).toEqual([0, 1]);
});

test('the rows between make room', () => {
  expect(shifts(rows, 1, 3)).toEqual([0, 0, -96, -96, 0, 0]);
  expect(shifts(rows, 3, 1)).toEqual([0, 96, 96, 0, 0, 0]);
  expect(shifts(rows, 5, 4)).toEqual([0, 0, 0, 0, 96, 0]);
});
