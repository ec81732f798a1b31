import { same, type Fields } from './values';

/** A field that two users changed to different values. mine is the value when the conflict was found. */
export type Conflict = { name: string; base: unknown; mine: unknown; theirs: unknown };

/** Merges two versions of the value of a field; undefined if they are in conflict. */
export type MergeValue = (name: string, base: unknown, mine: unknown, theirs: unknown) => unknown;

/**
 * Performs a three-way merge by field. base contains the common ancestor's values, mine only the
 * locally changed values, theirs all values of the other version. A field that only one side
 * changed, or whose changes mergeValue merges, is not a conflict.
 */
export function merge(base: Fields, mine: Fields, theirs: Fields, mergeValue: MergeValue = () => undefined) {
  const conflicts: Conflict[] = [];
  const kept: string[] = []; // local changes that are still to be saved
  const merged: Record<string, unknown> = {}; // of kept, the merged values
  for (const name of Object.keys(mine)) {
    if (same(mine[name], theirs[name])) continue;
    kept.push(name);
    if (same(base[name], theirs[name])) continue;
    const value = mergeValue(name, base[name], mine[name], theirs[name]);
    if (value === undefined) conflicts.push({ name, base: base[name], mine: mine[name], theirs: theirs[name] });
    else merged[name] = value;
  }
  return { kept, conflicts, merged };
}
