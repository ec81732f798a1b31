import { keepPreviousData, useQueries, useQuery, type QueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { $api } from '../api/client';
import type { MediaItem, MediaKind } from './kind';

export type MediaFilter = { search?: string; type?: MediaKind; /** Exactly this folder; '': in no folder. */ folder?: string };

const perPage = 100; // the limit of the API

const pageQuery = (projectId: number, filter: MediaFilter, page: number) =>
  $api.queryOptions('get', '/api/projects/{projectId}/media', { params: { path: { projectId }, query: { ...filter, page, perPage } } }, { staleTime: 30_000 });

export const mediaItemQuery = (projectId: number, mediaId: number) =>
  $api.queryOptions('get', '/api/projects/{projectId}/media/{mediaId}', { params: { path: { projectId, mediaId } } });

export const foldersQuery = (projectId: number) =>
  $api.queryOptions('get', '/api/projects/{projectId}/media/folders', { params: { path: { projectId } } }, { staleTime: 30_000 });

export const mediaUsesQuery = (projectId: number, mediaId: number) =>
  $api.queryOptions('get', '/api/projects/{projectId}/media/{mediaId}/usage', { params: { path: { projectId, mediaId } } });

export type MediaList = ReturnType<typeof useMediaList>;

/**
 * The items of a library by their index in the list. Only the pages with visible items are
 * fetched, so that a user can jump anywhere in a large library. While the first page of another
 * filter loads, the list stays the same and loading is true. filter must be memoized.
 */
export function useMediaList(projectId: number, filter: MediaFilter) {
  const [shown, setShown] = useState(filter);
  const [visible, setVisible] = useState({ first: 0, last: 0 });
  const first = useQuery({ ...pageQuery(projectId, filter, 1), placeholderData: keepPreviousData });
  if (!first.isPlaceholderData && first.data && shown !== filter) setShown(filter);

  const pages = range(Math.floor(visible.first / perPage), Math.floor(visible.last / perPage)).filter((page) => page > 0);
  const others = useQueries({ queries: pages.map((page) => pageQuery(projectId, shown, page + 1)) });
  const total = first.data?.meta.total;

  return {
    /** The number of items; undefined until it is known. */
    total,
    loading: first.isPlaceholderData,
    /** The filter of the items that are shown. */
    filter: first.isPlaceholderData ? shown : filter,
    error: first.error ?? others.find((page) => page.error)?.error,
    retry: () => void Promise.all([first.refetch(), ...others.map((page) => page.refetch())]),
    /** The item at an index; undefined while it loads. */
    at: (index: number): MediaItem | undefined => {
      const page = Math.floor(index / perPage);
      const data = page === 0 ? first.data : others[pages.indexOf(page)]?.data;
      return data?.data[index % perPage];
    },
    /** Sets the range of visible indexes, both inclusive. */
    show: (from: number, to: number) => setVisible((now) => (now.first === from && now.last === to ? now : { first: from, last: to })),
  };
}

const range = (from: number, to: number) => Array.from({ length: Math.max(0, to - from + 1) }, (_, i) => from + i);

const listKey = ['get', '/api/projects/{projectId}/media'] as const;
const itemKey = ['get', '/api/projects/{projectId}/media/{mediaId}'] as const;

/** Refetches the lists of a library and its folders. */
export function refreshMedia(client: QueryClient, projectId: number) {
  void client.invalidateQueries({ queryKey: foldersQuery(projectId).queryKey });
  return client.invalidateQueries({ queryKey: listKey, predicate: ({ queryKey }) => belongsTo(queryKey, projectId) });
}

/** Updates a changed item in all cached queries, without refetching the lists. */
export function putMedia(client: QueryClient, projectId: number, item: MediaItem) {
  client.setQueryData(mediaItemQuery(projectId, item.id).queryKey, item);
  client.setQueriesData<{ data: MediaItem[] }>({ queryKey: listKey, predicate: ({ queryKey }) => belongsTo(queryKey, projectId) }, (page) =>
    page && page.data.some((each) => each.id === item.id) ? { ...page, data: page.data.map((each) => (each.id === item.id ? item : each)) } : page,
  );
}

/** Removes the cached queries of a deleted item. */
export function dropMedia(client: QueryClient, projectId: number, id: number) {
  client.removeQueries({ queryKey: itemKey, predicate: ({ queryKey }) => belongsTo(queryKey, projectId) && pathOf(queryKey)?.mediaId === id });
}

type Path = { projectId?: number; mediaId?: number };
const pathOf = (queryKey: readonly unknown[]) => (queryKey[2] as { params?: { path?: Path } } | undefined)?.params?.path;
const belongsTo = (queryKey: readonly unknown[], projectId: number) => pathOf(queryKey)?.projectId === projectId;
