import { queryOptions } from '@tanstack/react-query';
import { api, dataOf } from '../api/client';
import type { SealedItem, Version } from '../compare/fields';
import type { Change } from '../compare/verdict';
import type { VersionName } from './search';
import { historyKey, numberOf, type EntryPath } from './timeline';

const one = '/api/projects/{projectId}/collections/{collectionId}/content/{contentId}';

/** The query for the content of a revision or publication. */
export const versionQuery = (path: EntryPath, name: VersionName) =>
  queryOptions({
    queryKey: [...historyKey(path), name],
    queryFn: async ({ signal }): Promise<Version> => {
      const params = { path: { ...path, number: numberOf(name) } };
      const content: { fields: Record<string, unknown>; media?: Record<string, unknown> } =
        name[0] === 'r' ? await dataOf(api.GET(`${one}/revisions/{number}`, { params, signal })) : await dataOf(api.GET(`${one}/publications/{number}`, { params, signal }));
      return { fields: content.fields, media: (content.media ?? {}) as Record<string, SealedItem> };
    },
  });

/** The query for the changes from a revision to another one, or to a version of the draft. */
export const changesQuery = (path: EntryPath, from: VersionName, to: VersionName | { draft: number }) =>
  queryOptions({
    queryKey: [...historyKey(path), from, 'changes', to],
    queryFn: async ({ signal }): Promise<Change[]> => {
      const query = { to: typeof to === 'string' ? String(numberOf(to)) : 'draft' };
      return (await dataOf(api.GET(`${one}/revisions/{number}/changes`, { params: { path: { ...path, number: numberOf(from) }, query }, signal }))) ?? [];
    },
  });
