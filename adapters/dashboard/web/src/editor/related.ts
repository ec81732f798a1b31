import { queryOptions } from '@tanstack/react-query';
import { api, dataOf, maxLimit, type Schemas } from '../api/client';
import { titleField, titleOf } from '../content/fields';

type Entry = Schemas['ManagedEntry'];
type Collection = Schemas['Collection'];
export type Target = { projectId: number; collection: Collection };

/** The display name of an entry: its title, or its id. */
export const nameOf = (collection: Collection, entry: Entry) => titleOf(collection, entry.fields) || `#${entry.id}`;

/** Lists entries. The API client cannot encode nested conditions, so pairs has flat parameters. */
function list({ projectId, collection }: Target, pairs: Record<string, string>) {
  return dataOf(
    api.GET('/api/projects/{projectId}/collections/{collectionId}/content', {
      params: { path: { projectId, collectionId: collection.id } },
      querySerializer: () => new URLSearchParams(pairs).toString(),
    }),
  ).then((page) => page.data as Entry[]);
}

/** The entries with these ids, in any locale. */
export const relatedQuery = (target: Target, ids: readonly number[]) =>
  queryOptions({
    queryKey: ['related', target.projectId, target.collection.id, [...ids].sort((a, b) => a - b)],
    queryFn: async () => {
      const parts = Array.from({ length: Math.ceil(ids.length / maxLimit) }, (_, i) => ids.slice(i * maxLimit, (i + 1) * maxLimit));
      return (await Promise.all(parts.map((part) => list(target, { 'where[id][in]': part.join(','), locale: '*', limit: String(part.length) })))).flat();
    },
    enabled: ids.length > 0,
    staleTime: 60_000,
  });

/** The entries whose title contains text, in the locale or its fallbacks. */
export const candidatesQuery = (target: Target, locale: string, text: string) => {
  const title = titleField(target.collection);
  return queryOptions({
    queryKey: ['candidates', target.projectId, target.collection.id, locale, text],
    queryFn: () => list(target, { locale, limit: '20', ...(title && { sort: `${title.name}:asc` }), ...(title && text && { [`where[${title.name}][like]`]: text }) }),
    staleTime: 30_000,
  });
};
