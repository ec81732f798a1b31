import type { Schemas } from '../api/client';
import { texts } from '../i18n/language';
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

export const statusWords = texts<Record<Status, string>>({
  en: {
    trashed: 'In the trash',
    failed: 'Publication failed',
    in_review: 'In review',
    scheduled: 'Scheduled',
    sent_back: 'Sent back',
    rejected: 'Rejected',
    changed: 'Unpublished changes',
    published: 'Published',
    draft: 'Draft',
  },
  de: {
    trashed: 'Im Papierkorb',
    failed: 'Veröffentlichung gescheitert',
    in_review: 'In der Freigabe',
    scheduled: 'Geplant',
    sent_back: 'Zurückgegeben',
    rejected: 'Abgelehnt',
    changed: 'Unveröffentlichte Änderungen',
    published: 'Veröffentlicht',
    draft: 'Entwurf',
  },
});
