import type { Schemas } from '../../api/client';

type Entry = Schemas['ManagedEntry'];

/** What the main button does, and what the page says will happen. */
export type Situation =
  /** The workflow is not read yet. */
  | 'unknown'
  /** A request waits for its reviewers. */
  | 'inReview'
  /** An approved request waits for its time. */
  | 'approved'
  /** A draft waits for its time; no workflow governs the Project. */
  | 'scheduled'
  /** Readers see the draft as it is. */
  | 'upToDate'
  /** The draft goes to review. */
  | 'send'
  /** The draft goes live at once. */
  | 'publish';

/** How an entry stands for its editor. unsaved: the page holds changes that the server does not have. */
export function situationOf(entry: Entry | undefined, governed: boolean | undefined, unsaved: boolean): Situation {
  if (governed === undefined) return 'unknown';
  if (entry) {
    if (entry.status === 'in_review') return 'inReview';
    if (entry.scheduledPublishAt || entry.approval?.status === 'approved') return governed || entry.approval?.status === 'approved' ? 'approved' : 'scheduled';
    if (entry.state === 'published' && !entry.hasUnpublishedChanges && !unsaved) return 'upToDate';
  }
  return governed ? 'send' : 'publish';
}
