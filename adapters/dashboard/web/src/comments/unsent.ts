import { useCallback } from 'react';
import { useSession } from '../api/queries';
import { keep, keptAt, useKept } from '../ui/kept';
import type { Anchor } from './anchor';
import type { Person } from './queries';

/** A comment that is typed and not sent yet. */
export type Unsent = {
  /** Where its box stands. */
  at: Anchor;
  /** What it is about, which the user can change. */
  about: Anchor;
  entryId?: number;
  text: string;
  people: readonly Person[];
  /** The step before whose approval it must be resolved. */
  must?: number;
  /** The suggested words. */
  replace?: string;
};

type All = Readonly<Record<string, Unsent | undefined>>;

const keyOf = (userId: number, requestId: number) => `${userId} comments ${requestId}`;
const isWritten = (one: Unsent | undefined): one is Unsent => !!one?.text.trim();

/** The comment of the user on a request, or on a member of a release, that is not sent yet. */
export function useUnsent(requestId: number, entryId?: number) {
  const key = keyOf(useSession().id, requestId);
  const slot = entryId ?? '';
  const [all] = useKept<All>(key);
  const set = useCallback((one: Unsent | undefined) => keep<All>(key, { ...keptAt<All>(key), [slot]: one }), [key, slot]);
  return [all?.[slot], set] as const;
}

/** All comments of the user on a request that have words and are not sent yet, and a function that drops them. */
export function useAllUnsent(requestId: number) {
  const [all, set] = useKept<All>(keyOf(useSession().id, requestId));
  return [Object.values(all ?? {}).filter(isWritten), useCallback(() => set(undefined), [set])] as const;
}
