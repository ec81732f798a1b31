import { mergeItems, type Merging } from './merge';
import type { Components, Field } from './values';

/** Merges two versions of a rich text; undefined if they are in conflict. */
type MergeText = (base: unknown, mine: unknown, theirs: unknown) => unknown;

/** How the values inside of items are merged: of the fields, only rich text has parts. */
export const mergingOf = (components: Components, mergeText: MergeText): Merging => ({
  components,
  mergeValue: (f, ...versions) => (f.type === 'richtext' && !f.multiple ? mergeText(...versions) : undefined),
});

/** Merges two versions of the items of a field; undefined if they are in conflict. */
export function mergedItems(field: Field, components: Components, base: unknown, mine: unknown, theirs: unknown, mergeText: MergeText): unknown {
  const { value, conflicts } = mergeItems(field, base, mine, theirs, mergingOf(components, mergeText));
  return conflicts.length > 0 ? undefined : value;
}
