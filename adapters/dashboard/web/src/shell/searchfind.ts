import { queryOptions } from '@tanstack/react-query';
import type { LinkProps } from '@tanstack/react-router';
import { api, dataOf, type Schemas } from '../api/client';
import type { Status } from '../content/status';
import { contains } from '../i18n/fold';

/** A result of the global search. Entries have their id and that of their Project. */
export type Found = { key: string; label: string; detail?: string; status?: Status; entry?: { id: number; projectId: number }; link: Pick<LinkProps, 'to' | 'params' | 'search'> };

/** The kinds of results in the order in which they are shown. */
const kinds = ['requests', 'entries', 'media', 'collections', 'projects', 'people', 'pages'] as const;
type Kind = (typeof kinds)[number];
type FoundByKind = Partial<Record<Kind, Found[]>>;

const settle = 150; // ms without a key before a request
export const longestText = 200; // characters
const mostWords = 20; // that the server takes

/** Whether words are enough for the server: two characters with a letter or digit, or one character of a script without spaces between words. */
export const enough = (words: string) => ([...words].length >= 2 && /[\p{L}\p{N}]/u.test(words)) || /[\p{scx=Han}\p{scx=Hira}\p{scx=Kana}\p{sc=Hangul}\p{sc=Thai}\p{sc=Lao}\p{sc=Khmer}\p{sc=Myanmar}]/u.test(words);

/** What the server finds. */
export const searchQuery = (words: string) =>
  queryOptions({
    queryKey: ['search', words],
    enabled: enough(words),
    queryFn: async ({ signal }) => {
      await new Promise((resolve) => setTimeout(resolve, settle));
      signal.throwIfAborted();
      return dataOf<Schemas['SearchResults']>(api.GET('/api/search', { params: { query: { q: words.split(/\s+/).slice(0, mostWords).join(' ') } }, signal }));
    },
    staleTime: 10_000,
  });

/** The results of the server. */
export function foundOnServer({ requests, entries, media, collections, projects, users }: Schemas['SearchResults']): FoundByKind {
  return {
    requests: requests.map(({ id, releaseNumber, title, projectId, collectionId, entryId, releaseId }) => ({
      key: `r${id}`,
      label: releaseNumber,
      detail: title ?? undefined,
      link: releaseId
        ? { to: '/projects/$projectId/releases/$releaseId', params: { projectId, releaseId } }
        : { to: '/review/$projectId/$collectionId/$entryId', params: { projectId, collectionId: collectionId ?? 0, entryId: entryId ?? 0 } },
    })),
    entries: entries.map(({ id, title, locale, status, projectId, projectName, collectionId, collectionName }) => ({
      key: `e${id}`,
      label: title,
      detail: [projectName, collectionName, locale].join(' · '),
      status,
      entry: { id, projectId },
      link: { to: '/projects/$projectId/collections/$collectionId/entries/$entryId', params: { projectId, collectionId, entryId: id } },
    })),
    media: media.map(({ id, fileName, caption, projectId, projectName }) => ({
      key: `m${id}`,
      label: fileName,
      detail: [projectName, caption].filter(Boolean).join(' · '),
      link: { to: '/projects/$projectId/media', params: { projectId }, search: { search: fileName, item: id } },
    })),
    collections: collections.map(collectionFound),
    projects: projects.map(projectFound),
    people: users.map(({ id, name, email, tenantId }) => ({
      key: `u${id}`,
      label: name,
      detail: email,
      link: { to: '/organisation/users', search: { search: email, tenant: tenantId ?? undefined } },
    })),
  };
}

export const projectFound = ({ id, name }: { id: number; name: string }): Found => ({ key: `p${id}`, label: name, link: { to: '/projects/$projectId', params: { projectId: id } } });

export const collectionFound = ({ id, name, projectId, projectName }: Schemas['FoundCollection']): Found => ({
  key: `c${id}`,
  label: name,
  detail: projectName,
  link: { to: '/projects/$projectId/collections/$collectionId', params: { projectId, collectionId: id } },
});

const most = { all: 5, matching: 8 }; // results of a kind, without and with words

/**
 * The results of each kind: what the dashboard knows and words match, then what the server found. Results
 * of the server for other words (stale) remain while they match.
 */
export function merged(words: string, known: FoundByKind, server: FoundByKind, stale: boolean): { kind: Kind; found: Found[] }[] {
  const matching = ({ label, detail }: Found) => contains(label, words) || contains(detail ?? '', words);
  const groups = kinds.map((kind) => {
    const own = (known[kind] ?? []).filter((f) => contains(f.label, words));
    const others = (server[kind] ?? []).filter((f) => (!stale || matching(f)) && !own.some(({ key }) => key === f.key));
    return { kind, found: [...own, ...others].slice(0, words ? most.matching : most.all) };
  });
  return groups.filter(({ found }) => found.length > 0);
}

type PageName = 'inbox' | 'calendar' | 'media' | 'releases' | 'overview' | 'workflow' | 'definitions' | 'components' | 'members' | 'tokens' | 'languages' | 'settings' | 'organisation' | 'account';

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
          of('releases', '/projects/$projectId/releases'),
          of('overview', '/projects/$projectId'),
          of('workflow', '/projects/$projectId/workflow'),
          of('definitions', '/projects/$projectId/collections'),
          of('components', '/projects/$projectId/components'),
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
