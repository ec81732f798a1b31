import { useQueries, useQuery } from '@tanstack/react-query';
import { $api, api, type Schemas } from '../api/client';
import { collectionsQuery, useProject } from '../api/queries';
import { may } from '../api/rights';
import { titleField } from '../api/fields';

/**
 * The titles of entries by the ids in the value of a relation, whose collections have these slugs. Entries
 * that do not exist or that the user may not see have no title.
 */
export function useTitles(projectId: number, slugs: readonly string[], ids: number[]) {
  const readable = may(useProject(projectId), 'content.read');
  const collections = useQuery({ ...collectionsQuery(projectId), enabled: readable });
  const targets = collections.data?.data.filter((c) => slugs.includes(c.slug)) ?? [];
  const wanted = [...new Set(ids)].sort((a, b) => a - b).slice(0, 500);
  const found = useQueries({
    queries: targets.map(({ id: collectionId }) => ({
      queryKey: ['titles', projectId, collectionId, wanted],
      enabled: wanted.length > 0,
      staleTime: 60_000,
      queryFn: async () => {
        const query = new URLSearchParams({ 'where[id][in]': wanted.join(','), locale: '*', state: 'with_draft', limit: '500' });
        const { data } = await api.GET('/api/projects/{projectId}/collections/{collectionId}/content', {
          params: { path: { projectId, collectionId } },
          querySerializer: () => query.toString(),
        });
        return data?.data ?? [];
      },
    })),
  });
  const titles = new Map(
    targets.flatMap((collection, i) => {
      const name = titleField(collection.fields)?.name;
      return found[i]?.data?.map((e) => [e.id, { title: String((name && e.fields[name]) || `#${e.id}`), collectionId: e.collectionId }] as const) ?? [];
    }),
  );
  // Until the titles are loaded, "…" is shown, because an id would flicker.
  const loading = collections.isLoading || found.some((f) => f.isLoading);
  return { of: (id: number) => titles.get(id), text: (id: number) => titles.get(id)?.title ?? (loading ? '…' : `#${id}`) };
}

/**
 * Media items by id; undefined for items that do not exist or that the user may not see.
 * Items that are not in atHand are fetched.
 */
export function useLibrary(projectId: number, ids: number[], atHand: Schemas['MediaItem'][] = []): Map<number, Schemas['MediaItem'] | undefined> {
  const visible = may(useProject(projectId), 'media.view');
  const wanted = [...new Set(ids)].filter((id) => !atHand.some((m) => m.id === id));
  const found = useQueries({
    queries: wanted.map((mediaId) =>
      $api.queryOptions('get', '/api/projects/{projectId}/media/{mediaId}', { params: { path: { projectId, mediaId } } }, { staleTime: 60_000, enabled: visible }),
    ),
  });
  return new Map([...atHand.map((m) => [m.id, m] as const), ...wanted.map((id, i) => [id, found[i]?.data] as const)]);
}

/** The URL of the file that a version shows. The library may have a newer file for the item. */
export function sealedUrl(item: Schemas['MediaItem'], sealed: Schemas['SealedItem']): string {
  if (item.hash === sealed.hash) return item.fullWebpUrl ?? item.fullUrl;
  return item.fullUrl.replace(/[^/]+\/[^/]+$/, `${sealed.hash}/${encodeURIComponent(sealed.fileName)}`);
}
