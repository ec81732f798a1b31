import type { Schemas } from '../api/client';
import { texts } from '../i18n/language';
import type { Tone } from '../ui/basics';

type Status = Schemas['ApprovalRequest']['status'];

export const requestTones: Record<Status, Tone> = {
  pending: 'wait',
  approved: 'accent',
  published: 'good',
  rejected: 'bad',
  revision_requested: 'bad',
  withdrawn: 'neutral',
};

export const requestWords = texts<Record<Status, string>>({
  en: {
    pending: 'In review',
    approved: 'Scheduled',
    published: 'Published',
    rejected: 'Rejected',
    revision_requested: 'Sent back',
    withdrawn: 'Withdrawn',
  },
  de: {
    pending: 'In der Freigabe',
    approved: 'Geplant',
    published: 'Veröffentlicht',
    rejected: 'Abgelehnt',
    revision_requested: 'Zurückgegeben',
    withdrawn: 'Zurückgezogen',
  },
});
