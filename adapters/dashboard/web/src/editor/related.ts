import { queryOptions } from '@tanstack/react-query';
import { api, dataOf, maxLimit, type Schemas } from '../api/client';
import { titleField, titleOf } from '../content/fields';

type Entry = Schemas['ManagedEntry'];
type Collection = Schemas['Collection'];
/** The collections that a relation leads to, at least one. */
export type Target = { projectId: number; collections: readonly Collection[] };

/** The display name of an entry: its title, or its id. */
export const nameOf = (collection: Collection, entry: Entry) => titleOf(collection, entry.fields) || `#${entry.id}`;

/** Lists entries. The API client cannot encode nested conditions, so pairs has flat parameters. */
function list(projectId: number, collection: Collection, pairs: Record<string, string>) {
  return dataOf(
    api.GET('/api/projects/{projectId}/collections/{collectionId}/content', {
      params: { path: { projectId, collectionId: collection.id } },
      querySerializer: () => new URLSearchParams(pairs).toString(),
    }),
  ).then((page) => page.data as Entry[]);
}

const keyOf = ({ projectId, collections }: Target) => [projectId, collections.map((c) => c.id)] as const;

/** The collection of an entry that a relation shows. */
export const collectionOf = ({ collections }: Target, entry: Entry | undefined) => collections.find((c) => c.id === entry?.collectionId);

/** The entries with these ids, in any locale. */
export const relatedQuery = (target: Target, ids: readonly number[]) =>
  queryOptions({
    queryKey: ['related', ...keyOf(target), [...ids].sort((a, b) => a - b)],
    queryFn: async () => {
      const parts = Array.from({ length: Math.ceil(ids.length / maxLimit) }, (_, i) => ids.slice(i * maxLimit, (i + 1) * maxLimit));
      const lists = target.collections.flatMap((collection) => parts.map((part) => list(target.projectId, collection, { 'where[id][in]': part.join(','), locale: '*', limit: String(part.length) })));
      return (await Promise.all(lists)).flat();
    },
    enabled: ids.length > 0,
    staleTime: 60_000,
  });

/** The entries whose title contains text, in the locale or its fallbacks; those of several collections by turns. */
export const candidatesQuery = (target: Target, locale: string, text: string) =>
  queryOptions({
    queryKey: ['candidates', ...keyOf(target), locale, text],
    queryFn: async () => {
      const lists = target.collections.map((collection) => {
        const title = titleField(collection);
        return list(target.projectId, collection, { locale, limit: '20', ...(title && { sort: `${title.name}:asc` }), ...(title && text && { [`where[${title.name}][like]`]: text }) });
      });
      return byTurns(await Promise.all(lists));
    },
    staleTime: 30_000,
  });

/** The elements of lists: the first of each, then the second of each, and so on. */
export const byTurns = <T>(lists: readonly (readonly T[])[]): T[] =>
  Array.from({ length: Math.max(0, ...lists.map((l) => l.length)) }, (_, i) => lists.flatMap((l) => l.slice(i, i + 1))).flat();
