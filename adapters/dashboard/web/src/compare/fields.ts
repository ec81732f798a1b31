import type { Schemas } from '../api/client';
import { linkedMedia } from './links';

export type SealedItem = Schemas['SealedItem'];

/** The content of a version: values by field name, and sealed media by id. */
export type Version = { fields: Record<string, unknown>; media: Record<string, SealedItem> };

/** The properties of a field that a comparison needs. */
export type FieldKind = Pick<Schemas['Field'], 'name' | 'label' | 'type' | 'multiple' | 'collection'>;

/** A field with its values in two versions; undefined means no value. */
export type Compared = { field: FieldKind; before: unknown; after: unknown; changed: boolean };

/**
 * Pairs the values of two versions, in the order of the definition. Fields that are not in the definition
 * (they were removed, or the user may not read it) come last, with a guessed type.
 */
export function compareFields(definition: readonly Schemas['Field'][] | undefined, before: Version | null, after: Version): Compared[] {
  const named = new Set([...Object.keys(before?.fields ?? {}), ...Object.keys(after.fields)]);
  const known = (definition ?? []).filter((f) => !f.hidden && f.type !== 'password');
  const rest = [...named].filter((name) => !definition?.some((f) => f.name === name)).sort();
  return [...known, ...rest.map((name) => guessed(name, after.fields[name] ?? before?.fields[name]))].map((field) => {
    const [was, is] = [present(before?.fields[field.name]), present(after.fields[field.name])];
    const shown = field.type === 'media' ? ids(is) : field.type === 'richtext' ? linkedMedia(is) : [];
    const changed = canonical(was) !== canonical(is) || shown.some((id) => canonical(before?.media[id]) !== canonical(after.media[id]));
    return { field, before: was, after: is, changed };
  });
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

/** JSON with sorted object members, so that equal values give equal strings. */
export function canonical(value: unknown): string {
  return JSON.stringify(value, (_, v: unknown) =>
    v !== null && typeof v === 'object' && !Array.isArray(v) ? Object.fromEntries(Object.entries(v).sort(([a], [b]) => (a < b ? -1 : 1))) : v,
  );
}

/** The field that is the title of an entry: "title" or "name", otherwise the first text field. */
export function titleField<F extends Pick<Schemas['Field'], 'name' | 'type' | 'multiple' | 'hidden'>>(fields: readonly F[]): F | undefined {
  const single = fields.filter((f) => f.type === 'text' && !f.multiple && !f.hidden);
  return single.find((f) => f.name === 'title' || f.name === 'name') ?? single[0];
}
