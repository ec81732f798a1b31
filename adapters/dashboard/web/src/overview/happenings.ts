import type { Schemas } from '../api/client';
import { dayOf, startOf } from './days';

/** A change of an entry or a release that is scheduled or took place: its publication, or the end of its publication. */
export type Change = { key: string; at: string; kind: 'publish' | 'unpublish'; failed: boolean; done: boolean; schedule: Schemas['Schedule'] };

/** A request of the user that is overdue, since a time. */
export type Late = { key: string; at: string; kind: 'overdue'; request: Schemas['ApprovalRequest'] };

/** What a day of the calendar has. */
export type Happening = Change | Late;

/** The time since which an overdue request is so: the first of its deadline and its time of publication. */
const lateSince = ({ dueAt, scheduledPublishAt, submittedAt }: Schemas['ApprovalRequest']) => [dueAt, scheduledPublishAt].filter((at) => at !== null).sort()[0] ?? submittedAt;

/**
 * Returns the happenings of each day in order of time. A schedule with a publication and its end
 * yields two happenings.
 */
export function byDay(schedules: readonly Schemas['Schedule'][], timeZone: string, overdue: readonly Schemas['ApprovalRequest'][] = []): Map<string, Happening[]> {
  const found = new Map<string, Happening>();
  for (const request of overdue) {
    const key = `request ${request.id}`;
    found.set(key, { key, at: lateSince(request), kind: 'overdue', request });
  }
  for (const schedule of schedules) {
    const add = (at: string, kind: Change['kind'], failed: boolean) => {
      const key = `${schedule.projectId}/${schedule.entryId ?? `release ${schedule.releaseId}`}/${kind}/${at}`;
      const { done } = schedule;
      if (!found.has(key) || failed) found.set(key, { key, at, kind, failed, done, schedule });
    };
    add(schedule.dueAt, schedule.action, schedule.attempts > 0);
    if (schedule.action === 'publish' && schedule.unpublishAt) add(schedule.unpublishAt, 'unpublish', false);
  }
  const days = new Map<string, Happening[]>();
  for (const happening of [...found.values()].sort((a, b) => a.at.localeCompare(b.at) || a.key.localeCompare(b.key))) {
    const day = dayOf(happening.at, timeZone);
    days.set(day, [...(days.get(day) ?? []), happening]);
  }
  return days;
}

/** Whether a happening can be moved to another time: a publication that waits for it, of an entry or of a reviewed release. */
export const isMovable = (one: Happening): one is Change => one.kind === 'publish' && !one.done && (one.schedule.releaseId === null || one.schedule.requestId !== null);

/** The time on another day, at the same time of day, to which a publication is moved. */
export function movedTo(at: string, day: string, timeZone: string) {
  return new Date(Date.parse(startOf(day, timeZone)) + Date.parse(at) - Date.parse(startOf(dayOf(at, timeZone), timeZone))).toISOString();
}
