import type { Subject } from './queries';

type Waiting = { projectId: number; entryId: number | null; releaseId: number | null };

/** Returns the position of an entry or a release in a list of waiting requests, and its neighbours. */
export function around<R extends Waiting>(waiting: readonly R[], subject: Subject) {
  const index = waiting.findIndex((r) => r.projectId === subject.projectId && ('releaseId' in subject ? r.releaseId === subject.releaseId : r.releaseId === null && r.entryId === subject.entryId));
  return {
    /** Counted from 1; 0 if the request does not wait for the user. */
    position: index + 1,
    previous: waiting[index - 1],
    next: waiting[index + 1],
    /** The request to show after the decision: the next one, or after the last the first one. */
    after: waiting[index + 1] ?? (index > 0 ? waiting[0] : undefined),
  };
}
