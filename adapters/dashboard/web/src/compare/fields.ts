import type { Schemas } from '../api/client';

export type SealedItem = Schemas['SealedItem'];

/** The content of a version: values by field, and what it shows of its media, by id. */
export type Version = { fields: Record<string, unknown>; media: Record<string, SealedItem> };

/** What a comparison has to know of a field. */
export type FieldKind = Pick<Schemas['Field'], 'name' | 'label' | 'type' | 'multiple' | 'collection'>;

/** A field with its values in two versions; undefined is no value. */
export type Compared = { field: FieldKind; before: unknown; after: unknown; changed: boolean };

/**
 * Pairs the values of two versions, in the order of the definition. Fields that the definition
 * lacks, because they were removed or it may not be read, follow with a guessed type.
 */
export function compareFields(definition: readonly Schemas['Field'][] | undefined, before: Version | null, after: Version): Compared[] {
  const named = new Set([...Object.keys(before?.fields ?? {}), ...Object.keys(after.fields)]);
  const known = (definition ?? []).filter((f) => !f.hidden && f.type !== 'password');
  const rest = [...named].filter((name) => !definition?.some((f) => f.name === name)).sort();
  return [...known, ...rest.map((name) => guessed(name, after.fields[name] ?? before?.fields[name]))].map((field) => {
    const [was, is] = [present(before?.fields[field.name]), present(after.fields[field.name])];
    const changed = canonical(was) !== canonical(is) || (field.type === 'media' && ids(is).some((id) => canonical(before?.media[id]) !== canonical(after.media[id])));
    return { field, before: was, after: is, changed };
  });
}

/** A field whose values are not there counts as empty, as an empty text or list does. */
const present = (value: unknown) => (value === null || value === '' || (Array.isArray(value) && value.length === 0) ? undefined : value);

function guessed(name: string, value: unknown): FieldKind {
  const multiple = Array.isArray(value);
  const one = multiple ? value[0] : value;
  const type =
    typeof one === 'boolean' ? 'boolean' : typeof one === 'number' ? 'number' : typeof one !== 'string' ? 'json' : /^\s*<[a-z][^>]*>/.test(one) ? 'richtext' : one.length > 120 ? 'longtext' : 'text';
  return { name, label: name, type, multiple: multiple && type !== 'json' };
}

/** The ids in a value of media or a relation. */
export function ids(value: unknown): number[] {
  return (Array.isArray(value) ? value : [value]).filter((v): v is number => typeof v === 'number');
}

/** JSON with the members of objects in order, so that equal values are equal texts. */
export function canonical(value: unknown): string {
  return JSON.stringify(value, (_, v: unknown) =>
    v !== null && typeof v === 'object' && !Array.isArray(v) ? Object.fromEntries(Object.entries(v).sort(([a], [b]) => (a < b ? -1 : 1))) : v,
  );
}

/** The field whose value names an entry where people read: "title" or "name", or the first text. */
export function titleField<F extends Pick<Schemas['Field'], 'name' | 'type' | 'multiple' | 'hidden'>>(fields: readonly F[]): F | undefined {
  const single = fields.filter((f) => f.type === 'text' && !f.multiple && !f.hidden);
  return single.find((f) => f.name === 'title' || f.name === 'name') ?? single[0];
}
