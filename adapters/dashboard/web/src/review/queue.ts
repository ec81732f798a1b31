type Waiting = { projectId: number; entryId: number };

/** Where an entry stands in a list of waiting requests, and what surrounds it. */
export function around<R extends Waiting>(waiting: readonly R[], place: Waiting) {
  const index = waiting.findIndex((r) => r.entryId === place.entryId && r.projectId === place.projectId);
  return {
    /** From 1; 0 if the request does not wait for the user. */
    position: index + 1,
    previous: waiting[index - 1],
    next: waiting[index + 1],
    /** What follows once this one is decided: the next one, or the first after the last. */
    after: waiting[index + 1] ?? (index > 0 ? waiting[0] : undefined),
  };
}
