import type { Schemas } from '../../api/client';
import { admits, inputOf, valuesOf } from './fieldvalues';

type Field = Schemas['Field'];

/** Whether a component can have a field like this one, and its values can move there: items stay where they are. */
export const groupable = ({ type, unique, hidden }: Field) => admits('components', type) && !unique && !hidden && type !== 'group' && type !== 'blocks';

/** A slug that stays while the field that it is made from is grouped; undefined if there is none. */
export function missing(fields: readonly Field[], grouped: readonly string[]) {
  const slug = fields.find(({ name, source }) => source && grouped.includes(source) && !grouped.includes(name));
  return slug && { slug, source: fields.find(({ name }) => name === slug.source)! };
}

/** The fields of a component like the named ones. A slug that is made from another field loses its source. */
export const componentFields = (fields: readonly Field[], grouped: readonly string[]): Schemas['FieldInput'][] =>
  fields.filter(({ name }) => grouped.includes(name)).map((field) => inputOf(valuesOf(grouped.includes(field.source ?? '') ? field : { ...field, source: '' }), 'components'));
