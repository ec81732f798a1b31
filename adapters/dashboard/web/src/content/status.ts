import type { Schemas } from '../api/client';
import { texts } from '../i18n/language';
import type { Tone } from '../ui/basics';

/** How far an entry in one locale is on its way to readers. */
export type Status = 'draft' | 'inReview' | 'scheduled' | 'revisionRequested' | 'rejected' | 'published' | 'changed' | 'trashed';

type Facts = Pick<Schemas['ManagedEntry'], 'state' | 'hasUnpublishedChanges' | 'scheduledPublishAt' | 'trashedAt' | 'approval'>;

/** The one status of an entry: the step that comes next for its draft, else what readers see. */
export function statusOf(entry: Facts): Status {
  if (entry.trashedAt !== null) return 'trashed';
  if (entry.approval?.status === 'pending') return 'inReview';
  if (entry.approval?.status === 'approved' || entry.scheduledPublishAt !== null) return 'scheduled';
  if (entry.state === 'published' && !entry.hasUnpublishedChanges) return 'published';
  if (entry.approval?.status === 'revision_requested') return 'revisionRequested';
  if (entry.approval?.status === 'rejected') return 'rejected';
  return entry.state === 'published' ? 'changed' : 'draft';
}

export const statusTones: Record<Status, Tone> = {
  draft: 'neutral',
  inReview: 'wait',
  scheduled: 'accent',
  revisionRequested: 'bad',
  rejected: 'bad',
  published: 'good',
  changed: 'wait',
  trashed: 'neutral',
};

export const statusWords = texts<Record<Status, string>>({
  en: {
    draft: 'Draft',
    inReview: 'In review',
    scheduled: 'Scheduled',
    revisionRequested: 'Revision requested',
    rejected: 'Rejected',
    published: 'Published',
    changed: 'Unpublished changes',
    trashed: 'In the trash',
  },
  de: {
    draft: 'Entwurf',
    inReview: 'In Freigabe',
    scheduled: 'Geplant',
    revisionRequested: 'Überarbeitung erbeten',
    rejected: 'Abgelehnt',
    published: 'Veröffentlicht',
    changed: 'Unveröffentlichte Änderungen',
    trashed: 'Im Papierkorb',
  },
});
