import { useCallback } from 'react';
import type { Schemas } from '../api/client';
import { useSession } from '../api/queries';
import { keep, keptAt, useKept } from '../ui/kept';

export type CommentInput = Schemas['CommentInput'];

const none: readonly CommentInput[] = [];

/** The comments that wait for the user's decision about a request, a function that replaces them, and one that reads them now. */
export function usePending(requestId = 0) {
  const key = `${useSession().id} pending ${requestId}`;
  const [waiting = none] = useKept<readonly CommentInput[]>(key);
  const set = useCallback((comments: readonly CommentInput[]) => keep(key, comments.length > 0 ? comments : undefined), [key]);
  return [waiting, set, useCallback(() => keptAt<readonly CommentInput[]>(key) ?? none, [key])] as const;
}
