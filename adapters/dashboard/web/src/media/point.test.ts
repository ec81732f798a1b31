import { expect, test } from 'vitest';
import { moved, pointAt } from './point';

test('a position in the window is a fraction of the picture', () => {
  const area = { left: 100, top: 50, width: 300, height: 200 };
  expect(pointAt(area, 200, 150)).toEqual({ x: 0.333, y: 0.5 });
  expect(pointAt(area, 0, 999)).toEqual({ x: 0, y: 1 });
});

test('arrow keys move a point within the picture', () => {
  expect(moved({ x: 0.5, y: 0.5 }, 'ArrowLeft', false)).toEqual({ x: 0.45, y: 0.5 });
  expect(moved({ x: 0.5, y: 0.5 }, 'ArrowDown', true)).toEqual({ x: 0.5, y: 0.51 });
  expect(moved({ x: 0.98, y: 0.02 }, 'ArrowRight', false)).toEqual({ x: 1, y: 0.02 });
  expect(moved({ x: 0.98, y: 0.02 }, 'ArrowUp', false)).toEqual({ x: 0.98, y: 0 });
  expect(moved({ x: 0, y: 0 }, 'Enter', false)).toBeUndefined();
});
