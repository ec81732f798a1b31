import { same, type Fields } from './values';

/** A field that two people changed in different ways. */
export type Conflict = { name: string; base: unknown; mine: unknown; theirs: unknown };

/**
 * Merges my changes with those of another writer, field by field. base are the values that both
 * began from, mine only what I changed, theirs all values of the other version. A field that only
 * one side changed is no conflict.
 */
export function merge(base: Fields, mine: Fields, theirs: Fields) {
  const conflicts: Conflict[] = [];
  const kept: string[] = []; // mine still has to be saved
  for (const name of Object.keys(mine)) {
    if (same(mine[name], theirs[name])) continue;
    kept.push(name);
    if (!same(base[name], theirs[name])) conflicts.push({ name, base: base[name], mine: mine[name], theirs: theirs[name] });
  }
  return { kept, conflicts };
}
