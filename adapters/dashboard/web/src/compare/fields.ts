import type { Schemas } from '../api/client';
import { isStructured } from '../editor/items/structured';
import { linkedMedia } from './links';
import { canonical, type Change, type Component, type Item, type Listed, type Version } from './version';

export type { Change, Component, SealedItem, Version } from './version';

/** Components by slug. */
export type Components = ReadonlyMap<string, Component>;

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
  /** Of a group or blocks: its items. */
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
 * The fields of two versions, in the order of the definition. What changed is what the API says in changes; without an
 * earlier version it is every value. Fields that are not in the definition, of which the API says nothing (they were
 * removed, or the user may not read it), come last, with a guessed type.
 */
export function compareFields(definition: readonly Schemas['Field'][] | undefined, before: Version | null, after: Version, components: Components, changes: readonly Change[] = []): Compared[] {
  const named = new Set([...Object.keys(before?.fields ?? {}), ...Object.keys(after.fields)]);
  const known = (definition ?? []).filter((f) => !f.hidden && f.type !== 'password');
  const rest = [...named].filter((name) => !definition?.some((f) => f.name === name)).sort();
  const sides = { components, changes, values: before && new Set(changes.flatMap((change) => change.fields.map(({ path }) => path))) };
  return [
    ...known.map((field) => compareField(field, field.name, before?.fields[field.name], after.fields[field.name], sides)),
    ...rest.map((name) => {
      const [was, is] = [present(before?.fields[name]), present(after.fields[name])];
      return { field: guessed(name, is ?? was), before: was, after: is, changed: canonical(was) !== canonical(is) };
    }),
  ];
}

/** What changed between two versions, the paths of the values among it (null: without an earlier version), and the components of their items. */
type Sides = { changes: readonly Change[]; values: ReadonlySet<string> | null; components: Components };

function compareField(field: FieldKind, path: string, before: unknown, after: unknown, sides: Sides): Compared {
  const [was, is] = [present(before), present(after)];
  if (isStructured(field)) {
    const items = compareItems(field, path, was, is, sides);
    return { field, before: was, after: is, items, changed: items.some((i) => i.change !== 'same') };
  }
  const shown = field.type === 'media' ? ids(is) : field.type === 'richtext' ? linkedMedia(is) : [];
  const isReworded = shown.some((id) => sides.changes.some((change) => change.path === '@media' && change.key === String(id)));
  return { field, before: was, after: is, changed: (was !== is && (sides.values?.has(path) ?? true)) || isReworded };
}

/** An item in two lists. */
type Pair = { was?: Listed; is?: Listed; moved?: boolean };

/** The items of two values, in the order of the later one. A removed item comes before the next one that stayed in its place. */
function compareItems(field: FieldKind, path: string, before: unknown, after: unknown, sides: Sides): ItemChange[] {
  const listed = (value: unknown) => {
    const found: Listed[] = [];
    for (const item of (Array.isArray(value) ? value : value === undefined ? [] : [value]) as Item[]) {
      const component = sides.components.get((field.type === 'group' ? field.component : field.components?.includes(item._type ?? '') ? item._type : undefined) ?? '');
      if (component) found.push({ item, component, at: found.length });
    }
    return found;
  };
  const [old, now] = [listed(before), listed(after)];
  const isList = field.type === 'blocks' || field.multiple;
  const pairs = isList ? pairsOf(old, now, sides.changes.filter((change) => change.path === path && change.key !== undefined)) : old.length + now.length > 0 ? [{ was: old[0], is: now[0] }] : [];
  return pairs.map(({ was, is, moved }: Pair) => {
    const { component, item } = (is ?? was)!;
    const at = isList ? `${path}[${item._key}]` : path;
    const fields = component.fields.map((f) => compareField(f, `${at}.${f.name}`, was?.item[f.name], is?.item[f.name], sides));
    const change = !was ? 'added' : !is ? 'removed' : moved ? 'moved' : fields.some((f) => f.changed) ? 'changed' : 'same';
    return { change, component, fields, ...(isList && { key: item._key, from: was?.at, to: is?.at }) };
  });
}

/** The items of two lists, from the changes of the list. An item without a change is in both. */
function pairsOf(old: Listed[], now: Listed[], changes: readonly Change[]): Pair[] {
  const byPlace = new Map(changes.map((change) => [change.to, change]));
  const removed = changes.flatMap(({ change, from }) => (change === 'removed' ? (old[from!] ?? []) : []));
  const pairs: Pair[] = [];
  for (const is of now) {
    const change = byPlace.get(is.at);
    const was = change ? old[change.from ?? -1] : old.find((l) => l.item._key === is.item._key);
    const moved = change?.change === 'moved';
    while (was && !moved && removed[0] && removed[0].at < was.at) pairs.push({ was: removed.shift() });
    pairs.push({ was, is, moved });
  }
  return [...pairs, ...removed.map((was) => ({ was }))];
}

/** Null, an empty text and an empty list count as no value. */
const present = (value: unknown) => (value === null || value === '' || (Array.isArray(value) && value.length === 0) ? undefined : value);

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
