import { queryOptions } from '@tanstack/react-query';
import { api, dataOf } from '../api/client';
import type { Change, SealedItem, Version } from '../compare/fields';
import type { VersionName } from './search';
import { historyKey, numberOf, type EntryPath } from './timeline';

const one = '/api/projects/{projectId}/collections/{collectionId}/content/{contentId}';

/**
 * The query for the content of a revision or publication. A publication without a seal has only the ids of its media, which
 * are left out: readers saw the library.
 */
export const versionQuery = (path: EntryPath, name: VersionName) =>
  queryOptions({
    queryKey: [...historyKey(path), name],
    queryFn: async ({ signal }): Promise<Version> => {
      const params = { path: { ...path, number: numberOf(name) } };
      const content: { fields: Record<string, unknown>; media?: Record<string, unknown> } =
        name[0] === 'r' ? await dataOf(api.GET(`${one}/revisions/{number}`, { params, signal })) : await dataOf(api.GET(`${one}/publications/{number}`, { params, signal }));
      const media = Object.entries((content.media ?? {}) as Record<string, SealedItem>);
      return { fields: content.fields, media: Object.fromEntries(media.filter(([, item]) => item.hash)) };
    },
  });

/** The query for the changes from a revision or publication to another one, or to a version of the draft. */
export const changesQuery = (path: EntryPath, from: VersionName, to: VersionName | { draft: number }) =>
  queryOptions({
    queryKey: [...historyKey(path), from, 'changes', to],
    queryFn: async ({ signal }): Promise<Change[]> => {
      const query = { to: typeof to === 'string' ? `${to[0] === 'r' ? 'revision' : 'publication'}:${numberOf(to)}` : 'draft' };
      const options = { params: { path: { ...path, number: numberOf(from) }, query }, signal };
      return (await dataOf(from[0] === 'r' ? api.GET(`${one}/revisions/{number}/changes`, options) : api.GET(`${one}/publications/{number}/changes`, options))) ?? [];
    },
  });
