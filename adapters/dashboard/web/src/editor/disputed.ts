import { isConflict, mergedText, mergeRichText, textOf } from '../compare/merge';
import { mergeItems, type Label } from './items/merge';
import { mergingOf } from './items/mergevalue';
import { isStructured, type Components, type Field } from './items/values';
import type { Conflict } from './merge';

export type Side = 'mine' | 'theirs';
export type Choice = { side: Side } | { side: 'both'; text?: string };
export type Choices = Readonly<Record<string, Choice | undefined>>;

/**
 * What a part is: a block of rich text, a plain text, any other value of a field, or an item that one side
 * removed and the other one changed.
 */
type Shape = 'rich' | 'text' | 'value' | 'item';

/** Something that both sides changed, of which the user chooses a version. */
export type Part = {
  key: string;
  /** Where it is, from the outside: the field of the entry, the items, and the field of the innermost item. */
  labels: readonly Label[];
  /** Its number among the parts of the same rich text, if there are several. */
  place?: { n: number; of: number };
  field: Field;
  shape: Shape;
  base: unknown;
  mine: unknown;
  theirs: unknown;
};

/** A field in conflict. value is called when each of its parts has a choice, and keeps what only one side changed. */
export type Disputed = { name: string; parts: readonly Part[]; value: (choices: Choices) => unknown };

type Versions = Pick<Part, 'base' | 'mine' | 'theirs'>;

/** The parts of a conflict. Items are merged by their keys, and rich text by blocks. */
export function disputedOf({ name, ...versions }: Conflict, field: Field, components: Components, locale: string): Disputed {
  if (!isStructured(field)) return { name, ...valueOf(name, [{ name: field.label }], field, versions, locale) };
  const merging = mergingOf(components, (...texts) => mergedText(...texts, locale));
  const { base, mine, theirs } = versions;
  const inside = new Map(
    mergeItems(field, base, mine, theirs, merging).conflicts.map(({ place, labels, whole, field: inner, ...own }) => {
      const path = [{ name: field.label }, ...labels];
      return [place, whole ? single(place, path, inner, own, 'item') : valueOf(place, path, inner, own, locale)];
    }),
  );
  return {
    name,
    parts: [...inside.values()].flatMap(({ parts }) => parts),
    value: (choices) => mergeItems(field, base, mine, theirs, { ...merging, choice: (place) => ({ value: inside.get(place)?.value(choices) }) }).value,
  };
}

/** The parts of a value that is not of items. */
function valueOf(key: string, labels: readonly Label[], field: Field, versions: Versions, locale: string): Omit<Disputed, 'name'> {
  if (field.multiple) return single(key, labels, field, versions, 'value');
  if (field.type !== 'richtext') return single(key, labels, field, versions, field.type === 'text' || field.type === 'longtext' ? 'text' : 'value');
  const pieces = mergeRichText(textOf(versions.base), textOf(versions.mine), textOf(versions.theirs), locale);
  const conflicts = pieces.filter(isConflict);
  const keyOf = (n: number) => `${key} ${n}`;
  return {
    parts: conflicts.map((piece, n) => ({ key: keyOf(n), labels, field, shape: 'rich', ...piece, ...(conflicts.length > 1 && { place: { n: n + 1, of: conflicts.length } }) })),
    value: (choices) =>
      pieces
        .map((piece) => {
          if (!isConflict(piece)) return piece.html;
          const side = choices[keyOf(conflicts.indexOf(piece))]?.side ?? 'mine';
          return side === 'both' ? piece.mine + piece.theirs : piece[side];
        })
        .join(''),
  };
}

function single(key: string, labels: readonly Label[], field: Field, versions: Versions, shape: Shape): Omit<Disputed, 'name'> {
  return {
    parts: [{ key, labels, field, shape, ...versions }],
    value: (choices) => {
      const choice = choices[key] ?? { side: 'mine' };
      return choice.side === 'both' ? choice.text : versions[choice.side];
    },
  };
}
