import type { Operator } from '../api/operators';
import { searched, valuesOf, type Collection } from './fields';
import type { EntriesSearch, Filter } from './search';
import type { ListedStatus } from './status';

/** A condition on one field. */
export type Condition = { field: string; operator: Operator; values: string[] };

/** A query for a list of entries, in the terms of the API. */
export type ListQuery = {
  locale?: string;
  state?: 'published' | 'only_draft' | 'with_draft';
  /** Only lists of the dashboard have this parameter. */
  status?: ListedStatus;
  /** Likewise: the id of the user that made the latest change. */
  editedBy?: number;
  /** Likewise: the locale whose translations are missing or older. */
  outdated?: string;
  sort?: string;
  /** Words of the searchable texts. */
  search?: string;
  where: Condition[];
  /** Groups of conditions: all conditions of at least one group must hold. */
  or: Condition[][];
};

const condition = ([field, operator, ...values]: Filter): Condition => ({ field, operator, values });

/** Whether a text asks for something: it is more than blanks and the quotation marks with which a phrase begins. */
const asks = (text: string | undefined): text is string => text !== undefined && /[^\s"“”„‟«»「」『』〝〞〟＂]/u.test(text);

/** Whether the API can search for the words of a text: it has a letter or a digit, and entries have words. */
const searchable = (text: string | undefined, collection: Collection) => text !== undefined && /[\p{L}\p{N}]/u.test(text) && !!collection.searches;

/** The words that the API searches for, and the order, which is that of the search unless one is chosen. */
function wordsOf({ q, sort }: EntriesSearch, collection: Collection): Pick<ListQuery, 'search' | 'sort'> {
  return searchable(q, collection) ? { search: q, sort } : { sort: sort ?? defaultSort };
}

/** The conditions of a table's URL. Without searchable texts, the text is a part of one of the text fields. A field that no longer exists is kept, so that the API reports it. */
export function conditionsOf(search: EntriesSearch, collection: Collection): Pick<ListQuery, 'where' | 'or'> {
  const filters = (search.where ?? []).map(condition);
  const words: Condition[][] = asks(search.q) && !searchable(search.q, collection) ? searched(collection).map(({ name }) => [{ field: name, operator: 'like', values: [search.q!] }]) : [];
  if (!search.any || filters.length < 2) return { where: filters, or: words };
  if (words.length === 0) return { where: [], or: filters.map((f) => [f]) };
  // The API has only one list of groups, so each group combines one search condition with one filter.
  // It refuses too many of them with an error, which the page shows: fewer groups would hide entries.
  return { where: [], or: words.flatMap(([word]) => filters.map((f) => [word!, f])) };
}

/** The query of the table, which shows drafts. */
export function tableQuery(search: EntriesSearch, collection: Collection): ListQuery {
  const { where, or } = conditionsOf(search, collection);
  // state=published would filter the published values, but the table shows those of the draft.
  const published: Condition[] = search.state === 'published' ? [{ field: 'publishedAt', operator: 'not_null', values: [] }] : [];
  return { locale: search.locale, state: search.state === 'draft' ? 'only_draft' : 'with_draft', status: search.status, editedBy: search.by, outdated: search.outdated, ...wordsOf(search, collection), where: [...where, ...published], or };
}

export const defaultSort = 'updatedAt:desc';

/** The same query for the public API, which has no filter by status, editor or translations. */
export function readerQuery(search: EntriesSearch, collection: Collection): ListQuery {
  const state = search.state === 'draft' ? 'only_draft' : search.state === 'published' ? undefined : 'with_draft';
  return { locale: search.locale, state, ...wordsOf(search, collection), ...conditionsOf(search, collection) };
}

/** The URL parameters of a list query: conditions, sort, locale, state, status, editor, translations. */
export function queryPairs({ locale, state, status, editedBy, outdated, sort, search, where, or }: ListQuery): [string, string][] {
  return [
    ...where.flatMap((c) => conditionPairs('where', c)),
    ...or.flatMap((group, i) => group.flatMap((c) => conditionPairs(`or[${i}]`, c))),
    ...present('search', search),
    ...present('sort', sort),
    ...present('locale', locale),
    ...present('state', state),
    ...present('status', status),
    ...present('editedBy', editedBy?.toString()),
    ...present('outdated', outdated),
  ];
}

const present = (name: string, value: string | undefined): [string, string][] => (value === undefined ? [] : [[name, value]]);

function conditionPairs(prefix: string, { field, operator, values }: Condition): [string, string][] {
  const name = `${prefix}[${field}]`;
  if (operator === 'eq') return [[name, values[0] ?? '']];
  if (valuesOf(operator) === 0) return [[`${name}[${operator}]`, 'true']];
  if (valuesOf(operator) === 1) return [[`${name}[${operator}]`, values[0] ?? '']];
  // The parameter is repeated, because a value can contain a comma.
  return values.map((value) => [`${name}[${operator}][]`, value]);
}

/** Encodes parameters as the query of a URL. Brackets, commas and colons stay readable. */
export function queryString(pairs: readonly (readonly [string, string | number | boolean])[]) {
  return pairs.map(([name, value]) => `${readable(name)}=${readable(String(value))}`).join('&');
}

// A quote is encoded, because it would end a quoted shell argument. Brackets, commas and colons need no encoding.
const readable = (text: string) => encodeURIComponent(text).replace(/'/g, '%27').replace(/%(5B|5D|2C|3A)/g, (code) => decodeURIComponent(code)).replace(/%20/g, '+');

/** One sort key. */
export type SortKey = { field: string; descending: boolean };

export function parseSort(sort: string | undefined): SortKey[] {
  if (!sort) return [];
  return sort.split(',').map((key) => {
    const [field = '', direction] = key.split(':', 2);
    return { field, descending: direction === 'desc' };
  });
}

const formatSort = (keys: SortKey[]) => keys.map((k) => `${k.field}:${k.descending ? 'desc' : 'asc'}`).join(',') || undefined;

/** The sort after a click on a header: ascending, descending, default. add keeps up to two keys of other columns. */
export function nextSort(sort: string | undefined, field: string, add: boolean): string | undefined {
  const keys = parseSort(sort);
  const present = keys.find((k) => k.field === field);
  const next = !present ? { field, descending: false } : present.descending ? undefined : { field, descending: true };
  if (!add) return formatSort(next ? [next] : []);
  const kept = present ? keys.flatMap((k) => (k === present ? (next ?? []) : k)) : [...keys.slice(0, 2), next!];
  return formatSort(kept);
}
