import type { Schemas } from '../../api/client';
import { titleField } from '../../api/fields';
import { fieldTypes, type FieldType } from './fieldtypes';
import type { Kind } from './requests';

type Field = Schemas['Field'];

/** The options of a field in a form. Empty strings and null mean that an option is not set. */
export type FieldValues = {
  name: string;
  label: string;
  help: string;
  type: FieldType;
  required: boolean;
  unique: boolean;
  multiple: boolean;
  hidden: boolean;
  indexed: boolean | null;
  /** null: as the type has it, see searchableOf. */
  searchable: boolean | null;
  min: number | null;
  max: number | null;
  pattern: string;
  patternMessage: string;
  /** One choice per line. */
  choices: string;
  source: string;
  style: 'ascii' | 'unicode';
  path: boolean;
  collection: string;
  /** Whether a relation leads to collections instead of the collection. */
  several: boolean;
  collections: readonly string[];
  component: string;
  components: readonly string[];
  filterable: boolean;
  default: unknown;
};

export function newField(type: FieldType): FieldValues {
  return {
    name: '', label: '', help: '', type, required: false, unique: false, multiple: false, hidden: false, indexed: null, searchable: null,
    min: null, max: null, pattern: '', patternMessage: '', choices: '', source: '', style: 'ascii', path: false, collection: '', several: false, collections: [],
    component: '', components: [], filterable: false, default: null,
  };
}

export function valuesOf(field: Field): FieldValues {
  const { choices, help, min, max, pattern, patternMessage, source, style, path, collection, collections, component, components, filterable, default: initial, ...rest } = field;
  return {
    ...rest,
    min: min ?? null,
    max: max ?? null,
    help: help ?? '',
    pattern: pattern ?? '',
    patternMessage: patternMessage ?? '',
    choices: (choices ?? []).join('\n'),
    source: source ?? '',
    style: style ?? 'ascii',
    path: path ?? false,
    collection: collection ?? '',
    several: collections !== undefined,
    collections: collections ?? [],
    component: component ?? '',
    components: components ?? [],
    filterable: filterable ?? false,
    default: initial ?? null,
  };
}

/** The field that a new slug is made from unless another is chosen: the only required text, else the title of entries; '' for none. */
export function sourceOf(fields: readonly Field[]): string {
  const texts = fields.filter((f) => f.type === 'text' && !f.multiple && !f.hidden);
  const required = texts.filter((f) => f.required);
  return (required.length === 1 ? required[0] : titleField(texts))?.name ?? '';
}

export const choicesOf = (text: string) => text.split('\n').map((choice) => choice.trim()).filter(Boolean);

/** The options that a field of a collection or of a component supports. */
export function optionsOf({ type, multiple }: Pick<FieldValues, 'type' | 'multiple'>, kind: Kind) {
  const of = fieldTypes[type];
  const inside = kind === 'components';
  const compares = !!of.indexable || !!of.reference;
  return {
    multiple: !of.single,
    unique: !!of.unique && !multiple && !inside,
    hidden: !inside,
    /** The quantity that min and max limit. */
    bounds: of.items && (multiple || of.items === 'several') ? ('items' as const) : multiple ? ('count' as const) : of.length ? ('length' as const) : type === 'number' ? ('value' as const) : undefined,
    pattern: !!of.length,
    choices: type === 'enumeration',
    source: type === 'slug' && !multiple,
    style: type === 'slug',
    collection: type === 'relation',
    component: of.items === 'one',
    components: of.items === 'several',
    filterable: inside && compares,
    indexed: !!of.indexable && !multiple && !inside,
    searchable: !!of.text,
    initial: multiple ? undefined : of.initial,
  };
}

/** Whether searches find the words of a field: by default those of texts that people write, unless they are hidden. */
export const searchableOf = ({ type, hidden, searchable }: Pick<FieldValues, 'type' | 'hidden' | 'searchable'>) => searchable ?? (!hidden && ['text', 'longtext', 'richtext'].includes(type));

/** Whether definitions of a kind can have fields of a type. */
export const admits = (kind: Kind, type: FieldType) => kind === 'collections' || fieldTypes[type].inside !== false;

/** The request body that adds a field. It omits options that the type does not support. */
export function inputOf(values: FieldValues, kind: Kind): Schemas['FieldInput'] {
  const fits = optionsOf(values, kind);
  return {
    name: values.name.trim(),
    label: values.label.trim(),
    ...(values.help.trim() && { help: values.help.trim() }),
    type: values.type,
    required: values.required,
    hidden: fits.hidden && values.hidden,
    multiple: fits.multiple && values.multiple,
    unique: fits.unique && values.unique,
    searchable: fits.searchable && searchableOf(values),
    indexed: fits.indexed ? values.indexed : null,
    ...(fits.bounds && { min: values.min, max: values.max }),
    ...(fits.pattern && values.pattern !== '' && { pattern: values.pattern, ...(values.patternMessage.trim() && { patternMessage: values.patternMessage.trim() }) }),
    ...(fits.style && { style: values.style, path: values.path }),
    ...(fits.choices && { choices: choicesOf(values.choices) }),
    ...(fits.source && values.source !== '' && { source: values.source }),
    ...(fits.collection && (values.several ? { collections: [...values.collections] } : { collection: values.collection })),
    ...(fits.component && { component: values.component }),
    ...(fits.components && { components: [...values.components] }),
    ...(fits.filterable && values.filterable && { filterable: true }),
    ...(fits.initial && !values.unique && values.default !== null && { default: values.default }),
  };
}

/** The request body for these changes. It omits immutable options. */
export function changeOf(changed: Partial<FieldValues>): Schemas['FieldChange'] {
  const { choices, collections, components, name: _name, type: _type, multiple: _multiple, collection: _collection, several: _several, component: _component, searchable, ...rest } = changed;
  return {
    ...rest,
    ...(searchable != null && { searchable }),
    ...(choices !== undefined && { choices: choicesOf(choices) }),
    ...(collections && { collections: [...collections] }),
    ...(components && { components: [...components] }),
  };
}
