import type { Schemas } from '../api/client';
import { canonical, type Listed, type Version } from './version';

export type Change = Schemas['Change'];

/** What changed between two versions. */
export type Verdict = {
  /** Whether the value at a path, such as body[k1].title, changed. */
  value: (path: string, before: unknown, after: unknown) => boolean;
  /** Whether the file or the words of a media item changed. */
  media: (id: number) => boolean;
  /** The changes of the list at a path; those of items that stayed in their place may be missing. */
  items: (path: string, before: readonly Listed[], after: readonly Listed[]) => readonly Pick<Change, 'change' | 'from' | 'to'>[];
};

const mediaPath = '@media';

/** The verdict of the API. */
export function serverVerdict(changes: readonly Change[]): Verdict {
  const values = new Set(changes.flatMap((change) => change.fields.map(({ path }) => path)));
  const media = new Set(changes.flatMap(({ path, key }) => (path === mediaPath ? Number(key) : [])));
  return {
    value: (path) => values.has(path),
    media: (id) => media.has(id),
    items: (path) => changes.filter((change) => change.path === path && change.key !== undefined),
  };
}

/** The verdict on versions for which the API has no changes. It is the one that the API would give. */
export function localVerdict(before: Version['media'] | undefined, after: Version['media']): Verdict {
  return {
    value: (_, was, is) => canonical(was) !== canonical(is),
    media: (id) => canonical(before?.[id]) !== canonical(after[id]),
    items: itemsThatChanged,
  };
}

function itemsThatChanged(_: string, before: readonly Listed[], after: readonly Listed[]) {
  const byKey = new Map(before.toReversed().map((l) => [l.item._key, l]));
  const both = new Map<Listed, Listed>();
  for (const is of after) {
    const was = byKey.get(is.item._key);
    if (was?.component !== is.component) continue;
    byKey.delete(is.item._key);
    both.set(is, was);
  }
  const paired = new Set(both.values());
  const still = new Set(stayed([...both.keys()], (is) => both.get(is)!.at));
  return [
    ...before.flatMap((was) => (paired.has(was) ? [] : { change: 'removed' as const, from: was.at })),
    ...after.flatMap((is) => (!both.has(is) ? { change: 'added' as const, to: is.at } : still.has(is) ? [] : { change: 'moved' as const, from: both.get(is)!.at, to: is.at })),
  ];
}

/**
 * A longest sequence of items whose earlier places increase: the items that did not move. Of several such
 * sequences, it is the one that the API chooses.
 */
function stayed<T>(items: readonly T[], place: (item: T) => number): T[] {
  const ends: T[] = []; // ends[n] ends the best sequence of n + 1 items
  const previous = new Map<T, T | undefined>();
  for (const item of items) {
    const at = ends.findIndex((end) => place(end) > place(item));
    const n = at < 0 ? ends.length : at;
    previous.set(item, ends[n - 1]);
    ends[n] = item;
  }
  const found: T[] = [];
  for (let item = ends.at(-1); item !== undefined; item = previous.get(item)) found.unshift(item);
  return found;
}
