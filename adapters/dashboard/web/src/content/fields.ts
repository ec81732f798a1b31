import type { Schemas } from '../api/client';
import { titleField as titleAmong } from '../compare/fields';

export type Field = Pick<Schemas['Field'], 'name' | 'label' | 'type' | 'multiple' | 'hidden'> & Partial<Pick<Schemas['Field'], 'choices' | 'collection'>>;
export type Collection = Pick<Schemas['Collection'], 'id' | 'slug' | 'name'> & { fields: Field[] };
export type ManagedEntry = Schemas['ManagedEntry'];

/** The operators of the API. "eq" is the default and has no name there. */
export const operators = ['eq', 'not', 'like', 'in', 'not_in', 'lt', 'lte', 'gt', 'gte', 'between', 'not_between', 'null', 'not_null'] as const;
export type Operator = (typeof operators)[number];

/** The system fields that every entry has, with their names in the API. */
export const systemFields: Field[] = [
  { name: 'id', label: 'id', type: 'number', multiple: false, hidden: false },
  { name: 'locale', label: 'locale', type: 'text', multiple: false, hidden: false },
  { name: 'publishedAt', label: 'publishedAt', type: 'datetime', multiple: false, hidden: false },
  { name: 'createdAt', label: 'createdAt', type: 'datetime', multiple: false, hidden: false },
  { name: 'updatedAt', label: 'updatedAt', type: 'datetime', multiple: false, hidden: false },
];

/** Texts that are searched but not compared. */
const longTypes = new Set(['longtext', 'richtext']);
const textTypes = new Set(['text', 'longtext', 'richtext', 'slug', 'email', 'url']);
const opaqueTypes = new Set(['json', 'password']);
const referenceTypes = new Set(['relation', 'media']);

/** The fields whose values the API returns. */
export const readable = (collection: Collection) => collection.fields.filter((f) => !f.hidden && f.type !== 'password');

/** The field that is the title of an entry. */
export const titleField = (collection: Collection) => titleAmong(readable(collection));

/** The title of an entry; empty if it has none. */
export function titleOf(collection: Collection, fields: Record<string, unknown>) {
  const value = fields[titleField(collection)?.name ?? ''];
  return typeof value === 'string' ? value : '';
}

/** The field that a condition refers to: "title", "id", or "country.name" for a field of a related entry. */
export function fieldNamed(collection: Collection, name: string, collections: readonly Collection[] = []): Field | undefined {
  const own = systemFields.find((f) => f.name === name) ?? readable(collection).find((f) => f.name === name);
  if (own) return own;
  const [near, far] = name.split('.', 2);
  const relation = readable(collection).find((f) => f.name === near && f.type === 'relation');
  const target = collections.find((c) => c.slug === relation?.collection);
  const field = target && far !== undefined ? fieldNamed(target, far) : undefined;
  return relation && field && { ...field, label: `${relation.label} › ${field.label}` };
}

/** The operators that apply to a field, the most used first. */
export function operatorsOf({ type }: Pick<Field, 'type'>): Operator[] {
  if (opaqueTypes.has(type)) return ['not_null', 'null'];
  if (longTypes.has(type)) return ['like', 'not_null', 'null'];
  if (type === 'url') return ['like', 'eq', 'not', 'in', 'not_in', 'not_null', 'null'];
  if (type === 'boolean') return ['eq', 'not', 'null', 'not_null'];
  if (referenceTypes.has(type)) return ['eq', 'not', 'in', 'not_in', 'not_null', 'null'];
  if (type === 'enumeration') return ['eq', 'not', 'in', 'not_in', 'like', 'not_null', 'null'];
  const ordered: Operator[] = ['lt', 'lte', 'gt', 'gte', 'between', 'not_between'];
  if (textTypes.has(type) || type === 'color') return ['like', 'eq', 'not', 'in', 'not_in', ...ordered, 'not_null', 'null'];
  return ['eq', 'not', ...ordered, 'in', 'not_in', 'not_null', 'null'];
}

/** How many values an operator takes; Infinity means at least one. */
export function valuesOf(operator: Operator): 0 | 1 | 2 | typeof Infinity {
  if (operator === 'null' || operator === 'not_null') return 0;
  if (operator === 'between' || operator === 'not_between') return 2;
  return operator === 'in' || operator === 'not_in' ? Infinity : 1;
}

/** Whether entries can be sorted by a field. */
export const sortable = ({ type, multiple }: Field) =>
  !multiple && ![opaqueTypes, referenceTypes, longTypes].some((types) => types.has(type)) && type !== 'boolean' && type !== 'url';

/** The fields that the search above the table covers, at most eight. */
export const searched = (collection: Collection) => readable(collection).filter((f) => textTypes.has(f.type) && f.type !== 'url').slice(0, 8);
