import { expect, test } from 'vitest';
import { addDays, addMonths, dayOf, isDay, monthOf, movedDay, startOf, weekOf } from './days';

test('isDay accepts only existing days', () => {
  expect(isDay('2026-02-28')).toBe(true);
  for (const value of ['2026-02-29', '2026-13-01', '2026-1-1', '', 20260228, undefined, '0000-01-01']) expect(isDay(value), String(value)).toBe(false);
});

test('a month is shown in whole weeks from Monday', () => {
  const november = monthOf('2026-11-23');
  expect([november[0], november.at(-1), november.length]).toEqual(['2026-10-26', '2026-12-06', 42]);
  expect(monthOf('2027-02-14')).toHaveLength(28); // begins on a Monday and has four weeks
  expect(weekOf('2026-11-22')).toEqual(['2026-11-16', '2026-11-17', '2026-11-18', '2026-11-19', '2026-11-20', '2026-11-21', '2026-11-22']);
});

test('moving by months and days respects the lengths of months', () => {
  expect(addMonths('2026-01-31', 1)).toBe('2026-02-28');
  expect(addMonths('2026-01-31', -11)).toBe('2025-02-28');
  expect(addMonths('2026-12-15', 1)).toBe('2027-01-15');
  expect(addDays('2026-12-31', 1)).toBe('2027-01-01');
  expect(movedDay('PageUp', true, '2024-02-29')).toBe('2023-02-28');
  expect(movedDay('End', false, '2026-11-23')).toBe('2026-11-29');
});

test('a day begins at its start in the time zone', () => {
  expect(startOf('2026-11-23', 'Europe/Oslo')).toBe('2026-11-22T23:00:00.000Z');
  expect(startOf('2026-03-29', 'Europe/Oslo')).toBe('2026-03-28T23:00:00.000Z');
  expect(startOf('2026-11-23', 'America/New_York')).toBe('2026-11-23T05:00:00.000Z');
  expect(startOf('2026-11-23', 'Pacific/Kiritimati')).toBe('2026-11-22T10:00:00.000Z');
  expect(startOf('2026-09-06', 'America/Santiago')).toBe('2026-09-06T04:00:00.000Z'); // the clock skips midnight
  expect(dayOf('2026-11-22T23:30:00Z', 'Europe/Oslo')).toBe('2026-11-23');
});
