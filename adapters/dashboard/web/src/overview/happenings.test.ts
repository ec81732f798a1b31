import { expect, test } from 'vitest';
import type { Schemas } from '../api/client';
import { byDay, isMovable, movedTo } from './happenings';

const schedule = (change: Partial<Schemas['Schedule']>) => ({ projectId: 1, entryId: 1, action: 'publish', attempts: 0, releaseId: null, requestId: null, done: false, unpublishAt: null, dueAt: '2026-11-23T10:00:00.000Z', ...change }) as Schemas['Schedule'];

test('happenings are grouped by day in the time zone of the user, in order', () => {
  const days = byDay(
    [
      schedule({ entryId: 1, dueAt: '2026-11-23T22:59:00.000Z' }),
      schedule({ entryId: 2, dueAt: '2026-11-23T23:00:00.000Z' }),
      schedule({ entryId: 3, dueAt: '2026-11-23T08:00:00.000Z', attempts: 2 }),
    ],
    'Europe/Oslo',
  );
  expect([...days].map(([day, list]) => [day, list.map((h) => h.kind !== 'overdue' && h.schedule.entryId)])).toEqual([
    ['2026-11-23', [3, 1]],
    ['2026-11-24', [2]],
  ]);
  expect(days.get('2026-11-23')?.map((h) => h.kind !== 'overdue' && h.failed)).toEqual([true, false]);
});

test('a publication and its end are two happenings, without duplicates', () => {
  const until = '2026-11-25T10:00:00.000Z';
  const days = byDay([schedule({ unpublishAt: until }), schedule({ action: 'unpublish', dueAt: until })], 'UTC');
  expect([...days].map(([day, list]) => [day, list.map((h) => h.kind)])).toEqual([
    ['2026-11-23', ['publish']],
    ['2026-11-25', ['unpublish']],
  ]);
});

test('publications that wait move to another day at the same time of day', () => {
  const movable = (change: Partial<Schemas['Schedule']>) => isMovable([...byDay([schedule(change)], 'UTC').values()][0]![0]!);
  expect([movable({}), movable({ done: true }), movable({ action: 'unpublish' }), movable({ releaseId: 3 }), movable({ releaseId: 3, requestId: 4 })]).toEqual([true, false, false, false, true]);
  expect(movedTo('2026-11-23T22:30:00.000Z', '2026-11-26', 'Europe/Oslo')).toBe('2026-11-26T22:30:00.000Z');
});

test('an overdue request is on the day since which it is so, and nothing moves it', () => {
  const request = (change: Partial<Schemas['ApprovalRequest']>) => ({ id: 7, dueAt: null, scheduledPublishAt: null, submittedAt: '2026-11-20T10:00:00.000Z', ...change }) as Schemas['ApprovalRequest'];
  const late = [request({ dueAt: '2026-11-23T10:00:00.000Z', scheduledPublishAt: '2026-11-22T09:00:00.000Z' }), request({ id: 8, dueAt: '2026-11-23T07:00:00.000Z' })];
  const days = byDay([schedule({})], 'UTC', late);
  expect([...days].map(([day, list]) => [day, list.map((h) => h.kind)])).toEqual([
    ['2026-11-22', ['overdue']],
    ['2026-11-23', ['overdue', 'publish']],
  ]);
  expect(isMovable(days.get('2026-11-22')![0]!)).toBe(false);
});
