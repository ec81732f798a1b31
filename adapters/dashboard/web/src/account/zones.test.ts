import { expect, test } from 'vitest';
import { offsetOf, timeZones, zoneMatches } from './zones';

test('a zone is found by any part of its name and by its offset', () => {
  const zone = { id: 'America/New_York', offset: 'UTC-5' };
  for (const text of ['new york', 'York', 'america/new', 'new_york', 'UTC-5', '']) expect(zoneMatches(zone, text), text).toBe(true);
  for (const text of ['paris', 'new paris', 'UTC+5']) expect(zoneMatches(zone, text), text).toBe(false);
});

test('offsets depend on the date, and renamed zones are listed once', () => {
  expect(offsetOf('Europe/Berlin', new Date('2026-01-01'))).toBe('UTC+1');
  expect(offsetOf('Europe/Berlin', new Date('2026-07-01'))).toBe('UTC+2');
  expect(offsetOf('Asia/Kolkata', new Date('2026-07-01'))).toBe('UTC+5:30');
  expect(timeZones()[0]?.id).toBe('UTC');
  expect(timeZones().filter(({ id }) => /Calcutta|Kolkata/.test(id))).toEqual([{ id: 'Asia/Kolkata', offset: 'UTC+5:30' }]);
});
