import { expect, test } from 'vitest';
import type { Schemas } from '../api/client';
import { byDay } from './happenings';

const schedule = (change: Partial<Schemas['Schedule']>) => ({ projectId: 1, entryId: 1, action: 'publish', attempts: 0, unpublishAt: null, dueAt: '2026-11-23T10:00:00.000Z', ...change }) as Schemas['Schedule'];

test('happenings are grouped by day in the time zone of the user, in order', () => {
  const days = byDay(
    [
      schedule({ entryId: 1, dueAt: '2026-11-23T22:59:00.000Z' }),
      schedule({ entryId: 2, dueAt: '2026-11-23T23:00:00.000Z' }),
      schedule({ entryId: 3, dueAt: '2026-11-23T08:00:00.000Z', attempts: 2 }),
    ],
    'Europe/Oslo',
  );
  expect([...days].map(([day, list]) => [day, list.map((h) => h.schedule.entryId)])).toEqual([
    ['2026-11-23', [3, 1]],
    ['2026-11-24', [2]],
  ]);
  expect(days.get('2026-11-23')?.map((h) => h.failed)).toEqual([true, false]);
});

test('a publication and its end are two happenings, without duplicates', () => {
  const until = '2026-11-25T10:00:00.000Z';
  const days = byDay([schedule({ unpublishAt: until }), schedule({ action: 'unpublish', dueAt: until })], 'UTC');
  expect([...days].map(([day, list]) => [day, list.map((h) => h.kind)])).toEqual([
    ['2026-11-23', ['publish']],
    ['2026-11-25', ['unpublish']],
  ]);
});
