import { same } from '../values';
import { itemPlace } from './places';
import { componentOf, indexOf, isList, isStructured, itemsOf, summaryOf, type Components, type Field, type Item } from './values';

/** The name of a field, or of the component of an item with the beginning of the item's text. */
export type Label = { name: string; summary?: string };

/**
 * A value inside of items that two users changed to different values. field is that of the value; or the
 * field of the items if one side removed the item and the other changed it: then the versions are items.
 */
export type ItemConflict = {
  place: string;
  /** What is in conflict, from the outside: the items around the value and its field. */
  labels: readonly Label[];
  field: Field;
  whole: boolean;
  base: unknown;
  mine: unknown;
  theirs: unknown;
};

export type Merging = {
  components: Components;
  /** Merges two versions of a value, such as rich text; undefined if they are in conflict. */
  mergeValue: (field: Field, base: unknown, mine: unknown, theirs: unknown) => unknown;
  /** The version that the user chose for a place; undefined if there is no choice. */
  choice?: (place: string) => { value: unknown } | undefined;
};

/**
 * Performs a three-way merge of the items of a field by their keys. Changes of different items, and of
 * different fields of one item, are merged. In conflict are different changes of one field of an item,
 * and an item that one side removed and the other one changed. Until the user chooses, value has the
 * versions of mine.
 */
export function mergeItems(field: Field, base: unknown, mine: unknown, theirs: unknown, merging: Merging): { value: unknown; conflicts: ItemConflict[] } {
  const conflicts: ItemConflict[] = [];
  const value = mergeField(field, field.name, [], base, mine, theirs, merging, conflicts);
  return { value, conflicts };
}

type Labels = readonly Label[];

function mergeField(field: Field, place: string, labels: Labels, base: unknown, mine: unknown, theirs: unknown, merging: Merging, conflicts: ItemConflict[]): unknown {
  const [was, own, other] = [base, mine, theirs].map(itemsOf) as [readonly Item[], readonly Item[], readonly Item[]];
  if (!isList(field)) {
    const one = mergeItem(field, place, labels, was[0], own[0], other[0], merging, conflicts);
    return one ?? null;
  }
  const merged = new Map<string, Item>();
  for (const key of new Set([...own, ...other, ...was].map((item) => item._key ?? ''))) {
    const at = (items: readonly Item[]) => items[indexOf(items, key)];
    const one = mergeItem(field, itemPlace(place, key), labels, at(was), at(own), at(other), merging, conflicts);
    if (one) merged.set(key, one);
  }
  return mergeOrder(keysOf(was), keysOf(own), keysOf(other)).flatMap((key) => merged.get(key) ?? []);
}

const keysOf = (items: readonly Item[]) => items.map((item) => item._key ?? '');

/**
 * Merges three orders of keys. The order is that of the side that moved items; mine if both did. Keys
 * that only the other side has stand behind the key that they follow there. Contains all keys of both.
 */
export function mergeOrder(base: readonly string[], mine: readonly string[], theirs: readonly string[]): string[] {
  const common = (keys: readonly string[]) => keys.filter((key) => base.includes(key) && mine.includes(key) && theirs.includes(key));
  const moved = same(common(mine), common(base)) === false;
  const [lead, other] = moved || same(common(theirs), common(base)) ? [mine, theirs] : [theirs, mine];
  const order = [...lead];
  other.forEach((key, i) => {
    if (order.includes(key)) return;
    const before = other.slice(0, i).findLast((one) => order.includes(one));
    order.splice(before === undefined ? 0 : order.indexOf(before) + 1, 0, key);
  });
  return order;
}

/** Merges three versions of an item; undefined means that it does not exist. */
function mergeItem(field: Field, place: string, labels: Labels, base: Item | undefined, mine: Item | undefined, theirs: Item | undefined, merging: Merging, conflicts: ItemConflict[]): Item | undefined {
  if (sameItem(mine, theirs)) return mine;
  if (sameItem(base, theirs)) return mine;
  if (sameItem(base, mine)) return theirs;
  const component = componentOf(field, merging.components, mine ?? theirs);
  const shown = mine ?? theirs;
  const path = component && shown ? [...labels, { name: component.name, summary: summaryOf(field, merging.components, shown) }] : labels;
  if (!mine || !theirs || !component || mine._type !== theirs._type) {
    return decide({ place, labels: path, field, whole: true, base, mine, theirs }, merging, conflicts) as Item | undefined;
  }
  const merged: Record<string, unknown> = { ...theirs, ...mine };
  for (const f of component.fields) {
    const [was, own, other] = [base?.[f.name], mine[f.name], theirs[f.name]];
    merged[f.name] = mergeMember(f, `${place}.${f.name}`, path, was, own, other, merging, conflicts);
  }
  return merged;
}

function mergeMember(f: Field, place: string, labels: Labels, base: unknown, mine: unknown, theirs: unknown, merging: Merging, conflicts: ItemConflict[]): unknown {
  if (same(mine, theirs) || same(base, theirs)) return mine;
  if (same(base, mine)) return theirs;
  if (isStructured(f)) return mergeField(f, place, [...labels, { name: f.label }], base, mine, theirs, merging, conflicts);
  const value = merging.mergeValue(f, base, mine, theirs);
  if (value !== undefined) return value;
  return decide({ place, labels: [...labels, { name: f.label }], field: f, whole: false, base, mine, theirs }, merging, conflicts);
}

function decide(conflict: ItemConflict, { choice }: Merging, conflicts: ItemConflict[]) {
  const chosen = choice?.(conflict.place);
  if (chosen) return chosen.value;
  conflicts.push(conflict);
  return conflict.mine ?? conflict.theirs;
}

/** Whether two versions of an item are equal. A member without a value equals one that is absent. */
export function sameItem(a: Item | undefined, b: Item | undefined): boolean {
  if (a === b) return true;
  if (!a || !b) return false;
  return [...new Set([...Object.keys(a), ...Object.keys(b)])].every((name) => sameMember(a[name], b[name]));
}

function sameMember(a: unknown, b: unknown): boolean {
  if (isItem(a) && isItem(b)) return sameItem(a, b);
  if (Array.isArray(a) && Array.isArray(b) && a.length === b.length && a.every(isItem) && b.every(isItem)) return a.every((item, i) => sameItem(item as Item, b[i] as Item));
  return same(a, b);
}

const isItem = (value: unknown): value is Item => typeof value === 'object' && value !== null && !Array.isArray(value);
