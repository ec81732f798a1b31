import { mergeItems } from './merge';
import type { Components, Field } from './values';

type MergeText = (base: unknown, mine: unknown, theirs: unknown) => unknown;

/** Merges two versions of the items of a field; undefined if they are in conflict. */
export function mergedItems(field: Field, components: Components, base: unknown, mine: unknown, theirs: unknown, mergeText: MergeText): unknown {
  const { value, conflicts } = mergeItems(field, base, mine, theirs, {
    components,
    mergeValue: (f, ...versions) => (f.type === 'richtext' && !f.multiple ? mergeText(...versions) : undefined),
  });
  return conflicts.length > 0 ? undefined : value;
}
