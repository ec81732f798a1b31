import { queryOptions, useQueries, useQuery, type QueryClient } from '@tanstack/react-query';
import { api, dataOf, maxLimit, type Schemas } from '../api/client';
import { columnsOf } from './columns';
import { titleOf, type Collection, type Field, type ManagedEntry } from './fields';
import { queryPairs, queryString, tableQuery } from './query';
import type { EntriesSearch } from './search';

export const pageSize = 100;

/** How long a page must stay in view before it is fetched: fast scrolling passes hundreds of pages. */
const settle = 80; // ms

const listPath = '/api/projects/{projectId}/collections/{collectionId}/content';
const trashPath = '/api/projects/{projectId}/collections/{collectionId}/trash';

/** The prefix of the query keys of all lists of a collection. */
export const listsKey = (collection: Collection) => ['entries', collection.id] as const;

/** Replaces a changed entry in the loaded pages, until they are fetched again. */
export function replaceInLists(queryClient: QueryClient, collection: Collection, changed: ManagedEntry) {
  queryClient.setQueriesData<Schemas['ManagedPage']>({ queryKey: listsKey(collection) }, (page) => page && { ...page, data: page.data.map((entry) => (entry.id === changed.id ? { ...changed, faults: undefined } : entry)) });
}

type Window = { offset: number; limit: number; count?: true };

/** What the table asks of each entry if columns show items, which lists leave out otherwise: its columns. */
function shownFields(collection: Collection, search: EntriesSearch): string | undefined {
  const fields = columnsOf(collection, search.columns).flatMap(({ field }) => (field ? [field] : []));
  return fields.some((f) => f.type === 'group' || f.type === 'blocks') ? fields.map((f) => f.name).join(',') : undefined;
}

/** Fetches a window of the list that a table shows. */
export function fetchEntries(project: Schemas['Project'], collection: Collection, search: EntriesSearch, window: Window, signal?: AbortSignal): Promise<Schemas['ManagedPage']> {
  const path = { projectId: project.id, collectionId: collection.id };
  const fields = shownFields(collection, search);
  if (search.state === 'trash') {
    return dataOf(api.GET(trashPath, { params: { path, query: { offset: window.offset, limit: window.limit, ...(fields && { fields }) } }, signal }));
  }
  const pairs = [...queryPairs(tableQuery(search, collection)), ...Object.entries({ ...window, ...(fields && { fields }) })] as [string, string][];
  return dataOf(api.GET(listPath, { params: { path }, querySerializer: () => queryString(pairs), signal }));
}

/** The parameters of a table's URL that determine its rows. */
export const listOf = ({ locale, state, status, by, outdated, q, where, any, sort }: EntriesSearch): EntriesSearch => (state === 'trash' ? { state } : { locale, state, status, by, outdated, q, where, any, sort });

const pageQuery = (project: Schemas['Project'], collection: Collection, search: EntriesSearch, page: number) =>
  queryOptions({
    queryKey: [...listsKey(collection), listOf(search), shownFields(collection, search), page],
    gcTime: 60_000, // ms; scrolling through a large list loads hundreds of pages
    queryFn: async ({ signal }) => {
      if (page > 0) await pause(settle, signal);
      return fetchEntries(project, collection, search, { offset: page * pageSize, limit: pageSize }, signal);
    },
  });

function pause(ms: number, signal: AbortSignal) {
  return new Promise<void>((resolve, reject) => {
    const timer = setTimeout(resolve, ms);
    signal.addEventListener('abort', () => {
      clearTimeout(timer);
      reject(signal.reason as Error);
    });
  });
}

/** The number of entries in a list. total is undefined until it is loaded, and in the trash, which the API does not count. */
export function useTotal(project: Schemas['Project'], collection: Collection, search: EntriesSearch) {
  const { data, isLoading } = useQuery({
    queryKey: [...listsKey(collection), listOf({ ...search, sort: undefined }), 'total'],
    queryFn: ({ signal }) => fetchEntries(project, collection, { ...search, sort: undefined }, { offset: 0, limit: 1, count: true }, signal),
    enabled: search.state !== 'trash',
  });
  return { total: search.state === 'trash' ? undefined : data?.meta.total, counting: isLoading };
}

/** Rows fetched before and after those in view, once the list is scrolled. Without this, a row was empty in 29 of 454 frames at 10,000 px/s. */
const lead = 60;

/**
 * The rows of a list between two positions, and the active row. Pages are fetched while they are
 * in or near the view; a request for any other page is cancelled.
 */
export function useRows(project: Schemas['Project'], collection: Collection, search: EntriesSearch, view: { first: number; last: number; active: number }, total = Infinity) {
  const ahead = view.first > 0 ? lead : 0;
  const from = Math.floor(Math.max(0, view.first - ahead) / pageSize);
  const to = Math.max(from, Math.floor(Math.min(view.last + ahead, total - 1) / pageSize));
  const pages = Array.from({ length: to - from + 1 }, (_, i) => from + i);
  const activePage = Math.floor(view.active / pageSize);
  if (!pages.includes(activePage)) pages.push(activePage);
  pages.sort((a, b) => a - b);
  const results = useQueries({ queries: pages.map((page) => pageQuery(project, collection, search, page)) });
  const loaded = results.flatMap((result, i) => (result.data ? [{ page: pages[i]!, ...result.data }] : []));
  const end = loaded.find((page) => !page.meta.hasMore);
  const furthest = loaded.at(-1);
  return {
    /** The loaded pages, in order. */
    pages: loaded.map((l) => l.data),
    rowAt: (index: number): ManagedEntry | undefined => {
      const page = loaded.find((l) => l.page === Math.floor(index / pageSize));
      return page?.data[index % pageSize];
    },
    /** The number of rows if the last page is loaded. */
    end: end && end.page * pageSize + end.data.length,
    /** The minimum number of rows, according to the loaded pages. */
    least: furthest ? furthest.page * pageSize + furthest.data.length + (furthest.meta.hasMore ? 1 : 0) : 0,
    error: results.find((r) => r.error)?.error,
    retry: () => results.forEach((r) => r.error && void r.refetch()),
    pending: results.some((r) => r.isPending),
  };
}

/** The titles of related entries by id, for the relation fields of loaded pages. */
export function useRelatedTitles(project: Schemas['Project'], relations: readonly { field: Field; target: Collection }[], pages: readonly ManagedEntry[][]) {
  const queries = relations.flatMap(({ field, target }) =>
    pages.map((page) => {
      const ids = [...new Set(page.flatMap((entry) => idsOf(entry.fields[field.name])))].sort((a, b) => a - b).slice(0, maxLimit);
      return titlesQuery(project, target, ids);
    }),
  );
  return useQueries({ queries, combine: titlesOf });
}

/** The titles by id, from the results of titlesQuery. */
export function titlesOf(results: { data?: readonly (readonly [number, string])[] }[]): ReadonlyMap<number, string> {
  return new Map(results.flatMap((result) => result.data ?? []));
}

/** The query for the titles of entries, as pairs of id and title. */
export const titlesQuery = (project: Schemas['Project'], collection: Collection, ids: readonly number[]) =>
  queryOptions({
    queryKey: ['titles', collection.id, ids],
    queryFn: async ({ signal }) => {
      const pairs = [['where[id][in]', ids.join(',')], ['locale', '*'], ['limit', maxLimit]] as const;
      const path = { projectId: project.id, collectionId: collection.id };
      const page = await dataOf(api.GET(listPath, { params: { path }, querySerializer: () => queryString(pairs), signal }));
      return page.data.map((entry) => [entry.id, titleOf(collection, entry.fields)] as const);
    },
    enabled: ids.length > 0,
    staleTime: 60_000,
  });

/** The ids in the value of a relation or media field. */
export function idsOf(value: unknown): number[] {
  return (Array.isArray(value) ? value : [value]).filter((id) => typeof id === 'number');
}
