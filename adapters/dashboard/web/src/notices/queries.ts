import { infiniteQueryOptions, useMutation, useQueryClient } from '@tanstack/react-query';
import { api, dataOf, type Schemas } from '../api/client';
import { noticeSummaryQuery } from '../api/queries';

export type Notice = Schemas['Notice'];

const perPage = 25;

/** The notices of the user, page by page, the newest first. */
export const noticesQuery = infiniteQueryOptions({
  queryKey: ['notices'],
  queryFn: ({ pageParam, signal }) => dataOf(api.GET('/api/me/notices', { params: { query: { page: pageParam, perPage } }, signal })),
  initialPageParam: 1,
  getNextPageParam: ({ meta }) => (meta.hasMore ? meta.page + 1 : undefined),
  refetchInterval: 30_000, // ms
  staleTime: 0,
});

/** The notices of pages, each once: new ones may have moved others to the next page. */
export const distinct = (pages: { data: Notice[] }[]) => [...new Map(pages.flatMap(({ data }) => data.map((notice) => [notice.id, notice] as const))).values()];

/** Marks notices as read: those with the ids, or all until a time. */
export function useRead() {
  const client = useQueryClient();
  return useMutation({
    mutationFn: (body: { ids: number[] } | { before: string }) => api.POST('/api/me/notices/read', { body }),
    onSettled: () => Promise.all([noticesQuery, noticeSummaryQuery].map(({ queryKey }) => client.invalidateQueries({ queryKey }))),
  });
}
