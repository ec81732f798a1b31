import { queryOptions } from '@tanstack/react-query';
import type { LinkProps } from '@tanstack/react-router';
import { api, dataOf, type Schemas } from '../api/client';
import { titleField, titleOf, type Collection, type ManagedEntry } from '../content/fields';
import { queryPairs, queryString } from '../content/query';

/** A result of the global search. */
export type Found = { key: string; label: string; detail?: string; entry?: ManagedEntry; link: Pick<LinkProps, 'to' | 'params'> };

/** Whether a name contains the words, ignoring case. */
export const matches = (name: string, words: string) => name.toLocaleLowerCase().includes(words.toLocaleLowerCase());

const limit = 5;
const settle = 200; // ms without a key before a request

/** The entries of a collection, in any language, whose title contains the words. */
export const entriesQuery = (projectId: number, collection: Collection, words: string) =>
  queryOptions({
    queryKey: ['search', collection.id, words],
    queryFn: async ({ signal }): Promise<Found[]> => {
      const title = titleField(collection);
      if (!title) return [];
      await new Promise((resolve) => setTimeout(resolve, settle));
      signal.throwIfAborted();
      const query = queryString([...queryPairs({ where: [{ field: title.name, operator: 'like', values: [words] }], or: [], sort: 'updatedAt:desc', locale: '*' }), ['limit', limit]]);
      const path = { projectId, collectionId: collection.id };
      const page = await dataOf(api.GET('/api/projects/{projectId}/collections/{collectionId}/content', { params: { path }, querySerializer: () => query, signal }));
      return page.data.map((entry) => ({
        key: `e${entry.id}`,
        label: titleOf(collection, entry.fields),
        detail: `${collection.name} · ${entry.locale}`,
        entry,
        link: { to: '/projects/$projectId/collections/$collectionId/entries/$entryId', params: { projectId, collectionId: collection.id, entryId: entry.id } },
      }));
    },
    staleTime: 10_000,
  });

type PageName = 'inbox' | 'calendar' | 'media' | 'overview' | 'workflow' | 'definitions' | 'members' | 'tokens' | 'languages' | 'settings' | 'organisation' | 'account';

/** The global pages, and the pages of a Project. */
export function pagesOf(names: Record<PageName, string>, project: Schemas['Project'] | undefined, organises: boolean): Found[] {
  const page = (name: PageName, link: Found['link'], detail?: string): Found => ({ key: name, label: names[name], detail, link });
  const of = (name: PageName, to: LinkProps['to']) => page(name, { to, params: { projectId: project!.id } }, project!.name);
  return [
    page('inbox', { to: '/inbox' }),
    page('calendar', { to: '/calendar' }),
    ...(project
      ? [
          of('media', '/projects/$projectId/media'),
          of('overview', '/projects/$projectId'),
          of('workflow', '/projects/$projectId/workflow'),
          of('definitions', '/projects/$projectId/collections'),
          of('members', '/projects/$projectId/members'),
          of('tokens', '/projects/$projectId/tokens'),
          of('languages', '/projects/$projectId/languages'),
          of('settings', '/projects/$projectId/settings'),
        ]
      : []),
    ...(organises ? [page('organisation', { to: '/organisation' })] : []),
    page('account', { to: '/account' }),
  ];
}
