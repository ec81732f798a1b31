import type { Schemas } from '../api/client';
import { texts } from '../i18n/language';
import type { Tone } from '../ui/basics';

type Entry = Pick<Schemas['ManagedEntry'], 'state' | 'hasUnpublishedChanges' | 'trashedAt' | 'scheduledPublishAt' | 'scheduledPublishFault' | 'approval'>;

export type Status = 'trashed' | 'failed' | 'inReview' | 'scheduled' | 'sentBack' | 'rejected' | 'changed' | 'published' | 'draft';

/**
 * The one word that says how an entry stands, the same on every page. What is under way goes
 * before what readers see.
 */
export function statusOf(entry: Entry): Status {
  const request = entry.approval?.status;
  const differs = entry.state === 'draft' || entry.hasUnpublishedChanges;
  if (entry.trashedAt) return 'trashed';
  if (entry.scheduledPublishFault) return 'failed';
  if (request === 'pending') return 'inReview';
  if (entry.scheduledPublishAt || request === 'approved') return 'scheduled';
  if (differs && request === 'revision_requested') return 'sentBack';
  if (differs && request === 'rejected') return 'rejected';
  if (entry.state === 'draft') return 'draft';
  return entry.hasUnpublishedChanges ? 'changed' : 'published';
}

export const statusTones: Record<Status, Tone> = {
  trashed: 'neutral',
  failed: 'bad',
  inReview: 'wait',
  scheduled: 'accent',
  sentBack: 'bad',
  rejected: 'bad',
  changed: 'wait',
  published: 'good',
  draft: 'neutral',
};

export const statusWords = texts<Record<Status, string>>({
  en: {
    trashed: 'In the trash',
    failed: 'Publication failed',
    inReview: 'In review',
    scheduled: 'Scheduled',
    sentBack: 'Sent back',
    rejected: 'Rejected',
    changed: 'Unpublished changes',
    published: 'Published',
    draft: 'Draft',
  },
  de: {
    trashed: 'Im Papierkorb',
    failed: 'Veröffentlichung gescheitert',
    inReview: 'In der Freigabe',
    scheduled: 'Geplant',
    sentBack: 'Zurückgegeben',
    rejected: 'Abgelehnt',
    changed: 'Unveröffentlichte Änderungen',
    published: 'Veröffentlicht',
    draft: 'Entwurf',
  },
});
