import type { Collection, Field } from './fields';
import { readable, systemFields, titleField } from './fields';

/** A column of the table: a field, or the status of the entry. */
export type Column = { name: string; field?: Field; /** The minimum width in px, and the share of the remaining width. */ width: number; share: number };

const widths: Partial<Record<Field['type'], number>> = { number: 110, boolean: 110, date: 130, time: 100, datetime: 170, color: 110, media: 120, longtext: 300, richtext: 300, json: 180, url: 200, email: 200, relation: 180 };

const systemWidths: Record<string, number> = { id: 90, locale: 90, publishedAt: 130, createdAt: 130, updatedAt: 130 };

/** The names of all columns that a collection can show, in order. The title column is first. */
export function columnNames(collection: Collection) {
  const title = titleField(collection)?.name;
  const fields = readable(collection).map((f) => f.name);
  const first = title ?? 'id';
  return [first, '_status', ...[...fields, ...systemFields.map((f) => f.name)].filter((name) => name !== first)];
}

/** Types whose values are short and easy to compare, so that they are columns by default. */
const telling = new Set<Field['type']>(['text', 'enumeration', 'number', 'date', 'boolean', 'relation']);

/** The columns of a table whose URL does not list any. */
export function defaultColumns(collection: Collection) {
  const title = titleField(collection)?.name;
  const fields = readable(collection).filter((f) => f.name !== title && telling.has(f.type));
  return [...(title ? [title] : ['id']), '_status', ...fields.slice(0, 3).map((f) => f.name), 'updatedAt'];
}

/** The columns that a URL lists, in its order, after the title column. Unknown names are ignored. */
export function columnsOf(collection: Collection, columns: string | undefined): Column[] {
  const [first = 'id', ...others] = columnNames(collection);
  const wanted = new Set(columns?.split(',') ?? defaultColumns(collection));
  const names = [first, ...[...wanted].filter((name) => others.includes(name))];
  return names.map((name, i) => column(collection, name, i === 0));
}

function column(collection: Collection, name: string, first: boolean): Column {
  if (name === '_status') return { name, width: 190, share: 0 };
  const field = systemFields.find((f) => f.name === name) ?? readable(collection).find((f) => f.name === name)!;
  if (first) return { name, field, width: 280, share: 3 };
  return { name, field, width: systemWidths[name] ?? widths[field.type] ?? 160, share: 1 };
}
