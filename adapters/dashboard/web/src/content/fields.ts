import type { Schemas } from '../api/client';
import { targetsOf, titleField as titleAmong } from '../api/fields';
import { offered, operators, sorted, type Operator } from '../api/operators';

export type Field = Pick<Schemas['Field'], 'name' | 'label' | 'type' | 'multiple' | 'hidden'> & Partial<Pick<Schemas['Field'], 'choices' | 'collection' | 'collections'>>;
export type Collection = Pick<Schemas['Collection'], 'id' | 'slug' | 'name'> & Partial<Pick<Schemas['Collection'], 'searches'>> & { fields: Field[] };
export type ManagedEntry = Schemas['ManagedEntry'];

/** The system fields that every entry has, with their names in the API. */
export const systemFields: Field[] = [
  { name: 'id', label: 'id', type: 'number', multiple: false, hidden: false },
  { name: 'locale', label: 'locale', type: 'text', multiple: false, hidden: false },
  { name: 'publishedAt', label: 'publishedAt', type: 'datetime', multiple: false, hidden: false },
  { name: 'createdAt', label: 'createdAt', type: 'datetime', multiple: false, hidden: false },
  { name: 'updatedAt', label: 'updatedAt', type: 'datetime', multiple: false, hidden: false },
];

/** The types of the fields that the search covers. */
const searchedTypes = new Set(['text', 'longtext', 'richtext', 'slug', 'email']);

/** The fields whose values the API returns. */
export const readable = (collection: Collection) => collection.fields.filter((f) => !f.hidden && f.type !== 'password');

/** The field that is the title of an entry. */
export const titleField = (collection: Collection) => titleAmong(readable(collection));

/** The title of an entry; empty if it has none. */
export function titleOf(collection: Collection, fields: Record<string, unknown>) {
  const value = fields[titleField(collection)?.name ?? ''];
  return typeof value === 'string' ? value : '';
}

/** The fields that all of the collections have, with the same type: what a condition can name beyond a relation to them. */
export function sharedFields([first, ...others]: readonly Collection[]): Field[] {
  if (!first) return [];
  return readable(first).filter(({ name, type }) => others.every((other) => readable(other).some((f) => f.name === name && f.type === type)));
}

/** The field that a condition refers to: "title", "id", or "country.name" for a field of a related entry. */
export function fieldNamed(collection: Collection, name: string, collections: readonly Collection[] = []): Field | undefined {
  const own = systemFields.find((f) => f.name === name) ?? readable(collection).find((f) => f.name === name);
  if (own) return own;
  const [near, far] = name.split('.', 2);
  const relation = readable(collection).find((f) => f.name === near && f.type === 'relation');
  const targets = targetsOf(relation, collections);
  const field = targets.length > 0 && far !== undefined ? [...systemFields, ...sharedFields(targets)].find((f) => f.name === far) : undefined;
  return relation && field && { ...field, label: `${relation.label} › ${field.label}` };
}

/** The operators that a menu offers for a field. */
export const operatorsOf = ({ type }: Pick<Field, 'type'>): readonly Operator[] => offered[type];

/** How many values an operator takes; Infinity means at least one. */
export function valuesOf(operator: Operator): number {
  const [least, most] = operators[operator];
  return least === most ? least : Infinity;
}

/** Whether entries can be sorted by a field. */
export const sortable = ({ type, multiple }: Field) => !multiple && type !== 'boolean' && sorted.has(type);

/** The fields that the search above the table covers, at most eight. */
export const searched = (collection: Collection) => readable(collection).filter((f) => searchedTypes.has(f.type)).slice(0, 8);
