import type { Schemas } from '../../api/client';
import { plainText } from '../../content/plaintext';
import { Later } from '../store';
import { empty } from '../values';
import { isStructured } from './structured';

export type Field = Schemas['Field'];
export type Component = Schemas['Component'];

/** The components of a Project by slug. */
export type Components = ReadonlyMap<string, Component>;

/** An item of a group or of blocks. _type is the component of an item of blocks; _key is the key of an item of a list. */
export type Item = Readonly<Record<string, unknown>> & { readonly _type?: string; readonly _key?: string };

export { isStructured };

/** Whether a field has a list of items, and not a single one. */
export const isList = ({ type, multiple }: Pick<Field, 'type' | 'multiple'>) => type === 'blocks' || multiple;

/** The slugs of the components that a field admits. */
export const admitted = (field: Field): readonly string[] => (field.type === 'group' ? (field.component ? [field.component] : []) : (field.components ?? []));

/** The component of an item; undefined if it does not exist. */
export const componentOf = (field: Field, components: Components, item: Item | undefined): Component | undefined =>
  components.get((field.type === 'group' ? field.component : item?._type) ?? '');

/** Items that were edited. They can contain values that are read later; read returns what is saved. */
export class Items extends Later {
  constructor(
    readonly items: readonly Item[],
    field: Field,
    components: Components,
  ) {
    let read: unknown;
    super(() => (read ??= { value: written(field, components, items) }) && (read as { value: unknown }).value);
  }
}

const none: readonly Item[] = [];
const singles = new WeakMap<object, readonly Item[]>();

/** The items in the value of a field, a single one as a list. Returns the same list for the same value. */
export function itemsOf(raw: unknown): readonly Item[] {
  if (raw instanceof Items) return raw.items;
  if (Array.isArray(raw)) return raw as Item[];
  if (typeof raw !== 'object' || raw === null) return none;
  let list = singles.get(raw);
  if (!list) singles.set(raw, (list = [raw as Item]));
  return list;
}

/** The value of a field to be saved: without empty rows, and with null for empty texts. */
function written(field: Field, components: Components, items: readonly Item[]): unknown {
  const values = items.map((item) => writtenItem(item, componentOf(field, components, item), components));
  return isList(field) ? values : (values[0] ?? null);
}

const writtenItems = new WeakMap<Item, Item>();

function writtenItem(item: Item, component: Component | undefined, components: Components): Item {
  const known = writtenItems.get(item);
  if (known) return known;
  const changed: Record<string, unknown> = {};
  for (const [name, raw] of Object.entries(item)) {
    const field = component?.fields.find((f) => f.name === name);
    const value = writtenValue(field, raw, components);
    if (value !== raw) changed[name] = value;
  }
  const result = Object.keys(changed).length ? { ...item, ...changed } : item;
  writtenItems.set(item, result);
  return result;
}

function writtenValue(field: Field | undefined, raw: unknown, components: Components): unknown {
  if (raw instanceof Later) return writtenValue(field, raw.read(), components);
  if (!field || field.type === 'json') return raw;
  if (isStructured(field)) {
    const items = itemsOf(raw);
    const values = items.map((item) => writtenItem(item, componentOf(field, components, item), components));
    return values.every((value, i) => value === items[i]) ? raw : isList(field) ? values : values[0];
  }
  if (Array.isArray(raw)) return raw.some(empty) ? raw.filter((one) => !empty(one)) : raw;
  return raw === '' ? null : raw;
}

const alphabet = 'abcdefghijklmnopqrstuvwxyz0123456789';
const keyLength = 12;

/** A random key of an item. */
export function newKey(): string {
  // 252 is the largest multiple of 36 in a byte: larger bytes would make some characters more likely.
  let key = '';
  while (key.length < keyLength) for (const byte of crypto.getRandomValues(new Uint8Array(keyLength))) if (byte < 252 && key.length < keyLength) key += alphabet[byte % 36];
  return key;
}

/** A new item of a component, with the default values of its fields. */
export function newItem(field: Field, component: Component): Item {
  const values = Object.fromEntries(component.fields.filter((f) => f.default !== undefined && f.default !== null).map((f) => [f.name, f.default]));
  return { ...(field.type === 'blocks' && { _type: component.slug }), ...(isList(field) && { _key: newKey() }), ...values };
}

/** A copy of an item for a list of field, with new keys for it and for the items inside of it. */
export function copyOf(field: Field, components: Components, item: Item): Item {
  const component = componentOf(field, components, item);
  const { _type, _key, ...values } = writtenItem(item, component, components);
  const inner = Object.fromEntries(
    Object.entries(values).map(([name, value]) => {
      const f = component?.fields.find((one) => one.name === name);
      if (!f || !isStructured(f)) return [name, value];
      const copies = itemsOf(value).map((one) => copyOf(f, components, one));
      return [name, isList(f) ? copies : (copies[0] ?? null)];
    }),
  );
  return { ...(field.type === 'blocks' && { _type }), ...(isList(field) && { _key: newKey() }), ...inner };
}

const byKey = new WeakMap<readonly Item[], Map<string | undefined, number>>();

/** The index of the item with a key, or -1. */
export function indexOf(items: readonly Item[], key: string | undefined): number {
  let indexes = byKey.get(items);
  if (!indexes) byKey.set(items, (indexes = new Map(items.map((item, i) => [item._key, i]))));
  return indexes.get(key) ?? -1;
}

const signatures = new WeakMap<readonly Item[], string>();

/** The keys and types of items. A change inside of an item does not change it. */
export function signatureOf(items: readonly Item[]) {
  let signature = signatures.get(items);
  if (signature === undefined) signatures.set(items, (signature = items.map((item) => `${item._key ?? ''}:${item._type ?? ''}`).join(' ')));
  return signature;
}

const maxSummary = 120; // characters
const summarized = new WeakMap<Item, string>();
const textTypes = new Set<Field['type']>(['text', 'longtext', 'richtext', 'email', 'url', 'slug']);

/**
 * The first text of an item: that of its title field, else of another field, else of an item inside of
 * it. A text that is being typed into a rich text editor is left out while live, because reading it is slow.
 */
export function summaryOf(field: Field, components: Components, item: Item, live = false, depth = 0): string {
  const cached = summarized.get(item);
  if (cached !== undefined) return cached;
  const component = componentOf(field, components, item);
  if (!component) return '';
  const texts = component.fields.filter((f) => textTypes.has(f.type) && !f.multiple);
  const title = texts.filter((f) => f.type === 'text').find((f) => f.name === 'title' || f.name === 'name' || f.name === 'label');
  for (const f of title ? [title, ...texts.filter((one) => one !== title)] : texts) {
    const raw = item[f.name];
    if (raw instanceof Later && live) return '';
    const value = raw instanceof Later ? raw.read() : raw;
    const text = typeof value !== 'string' ? '' : f.type === 'richtext' ? plainText(value.slice(0, 2000)) : value.replace(/\s+/g, ' ').trim();
    if (text) return remember(item, shortened(text));
  }
  for (const f of component.fields.filter(isStructured)) {
    const first = itemsOf(item[f.name])[0];
    const text = first && depth < 3 ? summaryOf(f, components, first, live, depth + 1) : '';
    if (text) return text;
  }
  return '';
}

function remember(item: Item, text: string) {
  summarized.set(item, text);
  return text;
}

/** The beginning of a text, without half a character at its end. */
function shortened(text: string) {
  const characters = Array.from(text.slice(0, 2 * maxSummary));
  return characters.length > maxSummary ? `${characters.slice(0, maxSummary - 1).join('').trimEnd()}…` : text;
}
