import type { Schemas } from '../api/client';
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
