import { expect, test } from 'vitest';
import { columnsFor, moved } from './layout';

test('keys move the focus in a grid whose last row is short', () => {
  const to = (key: string, from: number, control = false) => moved(key, control, from, 10, 4);
  expect(to('ArrowRight', 3)).toBe(4);
  expect(to('ArrowLeft', 0)).toBe(0);
  expect(to('ArrowUp', 2)).toBe(2);
  expect(to('ArrowDown', 1)).toBe(5);
  expect(to('ArrowDown', 7)).toBe(9); // no item is directly below
  expect(to('ArrowDown', 9)).toBe(9);
  expect(to('Home', 6)).toBe(4);
  expect(to('End', 8)).toBe(9);
  expect(to('Home', 6, true)).toBe(0);
  expect(to('End', 1, true)).toBe(9);
  expect(to('PageDown', 0)).toBe(9);
  expect(to('PageUp', 9)).toBe(1);
  expect(to('a', 3)).toBeUndefined();
  expect(moved('ArrowDown', false, 0, 0, 4)).toBeUndefined();
});

test('a narrow page has two columns', () => {
  expect(columnsFor(280, 16)).toBe(2);
  expect(columnsFor(1112, 16)).toBe(5);
});
