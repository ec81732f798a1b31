import type { Schemas } from '../api/client';
import type { Tone } from '../ui/basics';

/** The status of an entry. Every page shows the same. */
export type Status = Schemas['ManagedEntry']['status'];

/** The statuses that a list can filter by. Those that need work come first. */
export const listedStatuses = ['in_review', 'sent_back', 'rejected', 'changed', 'draft', 'scheduled', 'failed', 'published'] as const satisfies Status[];
export type ListedStatus = (typeof listedStatuses)[number];

export const statusTones: Record<Status, Tone> = {
  trashed: 'neutral',
  failed: 'bad',
  in_review: 'wait',
  scheduled: 'accent',
  sent_back: 'bad',
  rejected: 'bad',
  changed: 'wait',
  published: 'good',
  draft: 'neutral',
};
