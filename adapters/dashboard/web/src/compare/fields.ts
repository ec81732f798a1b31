import type { Schemas } from '../api/client';
import { isStructured } from '../editor/items/structured';
import { stayed } from './kept';
import { linkedMedia } from './links';

export type SealedItem = Schemas['SealedItem'];
export type Component = Schemas['Component'];

/** Components by slug. */
export type Components = ReadonlyMap<string, Component>;

/** The content of a version: values by field name, and sealed media by id. */
export type Version = { fields: Record<string, unknown>; media: Record<string, SealedItem> };

export type Versions = {
  projectId: number;
  /** The locale of the content. It determines how texts are split into words. */
  locale: string;
  /** The earlier version. If undefined, after is shown without marks. */
  before?: Version;
  after: Version;
  /** Media items that are already loaded; others are fetched. */
  library?: Schemas['MediaItem'][];
  /** The headings of the two versions above media. */
  names?: { before: string; after: string };
};

/** The properties of a field that a comparison needs. */
export type FieldKind = Pick<Schemas['Field'], 'name' | 'label' | 'type' | 'multiple' | 'collection' | 'collections' | 'component' | 'components'>;

/** A field with its values in two versions; undefined means no value. */
export type Compared = {
  field: FieldKind;
  before: unknown;
  after: unknown;
  changed: boolean;
  /** Of a group or blocks whose components are known: its items. */
  items?: ItemChange[];
};

/**
 * An item in two versions. One that moved has another place among the items that both versions have. A single
 * group has no key and no places.
 */
export type ItemChange = {
  change: 'same' | 'added' | 'removed' | 'moved' | 'changed';
  key?: string;
  component: Component;
  /** Its indexes in the two lists, from 0. */
  from?: number;
  to?: number;
  /** All fields of the component. */
  fields: Compared[];
};

/**
 * Pairs the values of two versions, in the order of the definition. Fields that are not in the definition
 * (they were removed, or the user may not read it) come last, with a guessed type.
 */
export function compareFields(definition: readonly Schemas['Field'][] | undefined, before: Version | null, after: Version, components?: Components): Compared[] {
  const named = new Set([...Object.keys(before?.fields ?? {}), ...Object.keys(after.fields)]);
  const known = (definition ?? []).filter((f) => !f.hidden && f.type !== 'password');
  const rest = [...named].filter((name) => !definition?.some((f) => f.name === name)).sort();
  const sides: Sides = { before: before?.media, after: after.media, components };
  return [...known, ...rest.map((name) => guessed(name, after.fields[name] ?? before?.fields[name]))].map((field) => compareField(field, before?.fields[field.name], after.fields[field.name], sides));
}

/** The sealed media of two versions, and the components of their items. */
type Sides = { before?: Version['media']; after: Version['media']; components?: Components };

function compareField(field: FieldKind, before: unknown, after: unknown, sides: Sides): Compared {
  const [was, is] = [present(before), present(after)];
  if (isStructured(field)) {
    const items = sides.components && compareItems(field, was, is, sides, sides.components);
    return { field, before: was, after: is, items, changed: items?.some((i) => i.change !== 'same') ?? canonical(filled(was)) !== canonical(filled(is)) };
  }
  const shown = field.type === 'media' ? ids(is) : field.type === 'richtext' ? linkedMedia(is) : [];
  const changed = canonical(was) !== canonical(is) || shown.some((id) => canonical(sides.before?.[id]) !== canonical(sides.after[id]));
  return { field, before: was, after: is, changed };
}

type Item = Record<string, unknown> & { _type?: string; _key?: string };
type Listed = { item: Item; component: Component; at: number; other?: Listed };

/** The items of two values, in the order of the later one. A removed item comes before the next one that stayed in its place. */
function compareItems(field: FieldKind, before: unknown, after: unknown, sides: Sides, components: Components): ItemChange[] {
  const listed = (value: unknown) => {
    const found: Listed[] = [];
    for (const item of (Array.isArray(value) ? value : value === undefined ? [] : [value]) as Item[]) {
      const component = components.get((field.type === 'group' ? field.component : field.components?.includes(item._type ?? '') ? item._type : undefined) ?? '');
      if (component) found.push({ item, component, at: found.length });
    }
    return found;
  };
  const [old, now] = [listed(before), listed(after)];
  const byKey = new Map(old.toReversed().map((l) => [l.item._key, l]));
  const both: Listed[] = [];
  for (const l of now) {
    const other = byKey.get(l.item._key);
    if (!other || other.component !== l.component || other.other) continue;
    l.other = other;
    other.other = l;
    both.push(l);
  }
  const still = new Set(stayed(both, (l) => l.other!.at));
  const list = field.type === 'blocks' || field.multiple;
  const change = (was: Listed | undefined, is: Listed | undefined): ItemChange => {
    const component = (is ?? was)!.component;
    const fields = component.fields.map((f) => compareField(f, was?.item[f.name], is?.item[f.name], sides));
    const kind = !was ? 'added' : !is ? 'removed' : !still.has(is) ? 'moved' : fields.some((f) => f.changed) ? 'changed' : 'same';
    return { change: kind, component, fields, ...(list && { key: (is ?? was)!.item._key, from: was?.at, to: is?.at }) };
  };
  const removed = (end: number) => {
    const gone = old.slice(next, end).filter((l) => !l.other);
    next = Math.max(next, end);
    return gone.map((l) => change(l, undefined));
  };
  let next = 0;
  const found = now.flatMap((l) => [...(still.has(l) ? removed(l.other!.at) : []), change(l.other, l)]);
  return [...found, ...removed(old.length)];
}

/** Null, an empty text and an empty list count as no value. */
const present = (value: unknown) => (value === null || value === '' || (Array.isArray(value) && value.length === 0) ? undefined : value);

/** A value without the members that have no value. */
const filled = (value: unknown): unknown =>
  Array.isArray(value)
    ? value.map(filled)
    : value !== null && typeof value === 'object'
      ? Object.fromEntries(Object.entries(value).flatMap(([name, inner]) => (present(inner) === undefined ? [] : [[name, filled(inner)]])))
      : value;

function guessed(name: string, value: unknown): FieldKind {
  const multiple = Array.isArray(value);
  const one = multiple ? value[0] : value;
  const type =
    typeof one === 'boolean' ? 'boolean' : typeof one === 'number' ? 'number' : typeof one !== 'string' ? 'json' : /^\s*<[a-z][^>]*>/.test(one) ? 'richtext' : one.length > 120 ? 'longtext' : 'text';
  return { name, label: name, type, multiple: multiple && type !== 'json' };
}

/** The ids in the value of a media or relation field. */
export function ids(value: unknown): number[] {
  return (Array.isArray(value) ? value : [value]).filter((v): v is number => typeof v === 'number');
}

/** JSON with sorted object members, so that equal values give equal strings. */
export function canonical(value: unknown): string {
  return JSON.stringify(value, (_, v: unknown) =>
    v !== null && typeof v === 'object' && !Array.isArray(v) ? Object.fromEntries(Object.entries(v).sort(([a], [b]) => (a < b ? -1 : 1))) : v,
  );
}
