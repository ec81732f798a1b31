import { same, type Fields } from './values';

/** A field that two users changed to different values. */
export type Conflict = { name: string; base: unknown; mine: unknown; theirs: unknown };

/**
 * Performs a three-way merge by field. base contains the common ancestor's values, mine only the
 * locally changed values, theirs all values of the other version. A field that only one side
 * changed is not a conflict.
 */
export function merge(base: Fields, mine: Fields, theirs: Fields) {
  const conflicts: Conflict[] = [];
  const kept: string[] = []; // local changes that are still to be saved
  for (const name of Object.keys(mine)) {
    if (same(mine[name], theirs[name])) continue;
    kept.push(name);
    if (!same(base[name], theirs[name])) conflicts.push({ name, base: base[name], mine: mine[name], theirs: theirs[name] });
  }
  return { kept, conflicts };
}
