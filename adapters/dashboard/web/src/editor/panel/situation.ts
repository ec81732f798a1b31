import type { Schemas } from '../../api/client';

type Entry = Schemas['ManagedEntry'];

/** Determines the action of the main button and the text about its outcome. */
export type Situation =
  /** The workflow is not loaded yet. */
  | 'unknown'
  /** A request is in review. */
  | 'inReview'
  /** An approved request is scheduled. */
  | 'approved'
  /** A draft is scheduled; no workflow governs the Project. */
  | 'scheduled'
  /** The draft equals the published version. */
  | 'upToDate'
  /** The draft can be sent to review. */
  | 'send'
  /** The draft can be published at once. */
  | 'publish';

/** Returns the situation of an entry. governed is undefined until the workflow is loaded. */
export function situationOf(entry: Entry | undefined, governed: boolean | undefined, unsaved: boolean): Situation {
  if (governed === undefined) return 'unknown';
  if (entry) {
    if (entry.status === 'in_review') return 'inReview';
    if (entry.scheduledPublishAt || entry.approval?.status === 'approved') return governed || entry.approval?.status === 'approved' ? 'approved' : 'scheduled';
    if (entry.state === 'published' && !entry.hasUnpublishedChanges && !unsaved) return 'upToDate';
  }
  return governed ? 'send' : 'publish';
}
