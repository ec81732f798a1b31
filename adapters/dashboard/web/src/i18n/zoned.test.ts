import { expect, test } from 'vitest';
import { fromLocal, toLocal } from './zoned';

test.each([
  ['2026-03-03T06:00:00.000Z', 'Europe/Oslo', '2026-03-03T07:00'],
  ['2026-07-03T06:00:00.000Z', 'Europe/Oslo', '2026-07-03T08:00'],
  ['2026-03-03T06:00:00.000Z', 'Asia/Kolkata', '2026-03-03T11:30'],
])('%s in %s is %s', (time, zone, local) => {
  expect(toLocal(time, zone)).toBe(local);
  expect(fromLocal(local, zone)).toBe(time);
});

test('a local time that a clock change skips is valid', () => {
  expect(fromLocal('2026-03-29T02:30', 'Europe/Oslo')).toBe('2026-03-29T01:30:00.000Z');
});

test('an empty value is undefined, and null is an empty value', () => {
  expect(fromLocal('', 'UTC')).toBeUndefined();
  expect(toLocal(null, 'UTC')).toBe('');
});
