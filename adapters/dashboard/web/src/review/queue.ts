type Waiting = { projectId: number; entryId: number };

/** Returns the position of an entry in a list of waiting requests, and its neighbours. */
export function around<R extends Waiting>(waiting: readonly R[], place: Waiting) {
  const index = waiting.findIndex((r) => r.entryId === place.entryId && r.projectId === place.projectId);
  return {
    /** Counted from 1; 0 if the request does not wait for the user. */
    position: index + 1,
    previous: waiting[index - 1],
    next: waiting[index + 1],
    /** The request to show after the decision: the next one, or after the last the first one. */
    after: waiting[index + 1] ?? (index > 0 ? waiting[0] : undefined),
  };
}
