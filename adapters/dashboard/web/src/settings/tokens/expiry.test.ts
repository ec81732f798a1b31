import { expect, test } from 'vitest';
import { dateOf, endOfDay } from './expiry';

test.each([
  ['2026-01-31', 'Europe/Oslo', '2026-01-31T22:59:59.000Z'],
  ['2026-03-29', 'Europe/Oslo', '2026-03-29T21:59:59.000Z'], // summer time begins on this day
  ['2026-12-31', 'America/New_York', '2027-01-01T04:59:59.000Z'],
])('%s in %s', (day, zone, time) => {
  expect(endOfDay(day, zone)).toBe(time);
  expect(dateOf(time, zone)).toBe(day);
});
