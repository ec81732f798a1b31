import { queryOptions } from '@tanstack/react-query';
import { api, dataOf, type Schemas } from '../api/client';
import { titleField, titleOf } from '../content/fields';

type Entry = Schemas['ManagedEntry'];
type Collection = Schemas['Collection'];
export type Target = { projectId: number; collection: Collection };

/** What names an entry: its title, or its id. */
export const nameOf = (collection: Collection, entry: Entry) => titleOf(collection, entry.fields) || `#${entry.id}`;

/** Lists entries; the client cannot write conditions inside conditions, so they are given as pairs. */
function list({ projectId, collection }: Target, pairs: Record<string, string>) {
  return dataOf(
    api.GET('/api/projects/{projectId}/collections/{collectionId}/content', {
      params: { path: { projectId, collectionId: collection.id } },
      querySerializer: () => new URLSearchParams(pairs).toString(),
    }),
  ).then((page) => page.data as Entry[]);
}

/** The entries of some ids, in any locale. */
export const relatedQuery = (target: Target, ids: readonly number[]) =>
  queryOptions({
    queryKey: ['related', target.projectId, target.collection.id, [...ids].sort((a, b) => a - b)],
    queryFn: () => list(target, { 'where[id][in]': ids.join(','), locale: '*', limit: String(ids.length) }),
    enabled: ids.length > 0,
    staleTime: 60_000,
  });

/** The entries whose title contains a text, as the locale sees them. */
export const candidatesQuery = (target: Target, locale: string, text: string) => {
  const title = titleField(target.collection);
  return queryOptions({
    queryKey: ['candidates', target.projectId, target.collection.id, locale, text],
    queryFn: () => list(target, { locale, limit: '20', ...(title && { sort: `${title.name}:asc` }), ...(title && text && { [`where[${title.name}][like]`]: text }) }),
    staleTime: 30_000,
  });
};
