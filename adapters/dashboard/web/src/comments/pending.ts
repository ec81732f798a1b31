import type { Schemas } from '../api/client';

export type CommentInput = Schemas['CommentInput'];

// The comments that wait for the user's decision, by request.
const waiting = new Map<number, readonly CommentInput[]>();
const listeners = new Set<() => void>();
const none: readonly CommentInput[] = [];

/** The comments that go with the user's decision about a request. */
export const pendingOf = (requestId: number) => waiting.get(requestId) ?? none;

export function setPending(requestId: number, comments: readonly CommentInput[]) {
  waiting.set(requestId, comments);
  listeners.forEach((listener) => listener());
}

export function subscribePending(listener: () => void) {
  listeners.add(listener);
  return () => listeners.delete(listener);
}
