import { positive } from '../shell/search';
import type { Schemas } from '../api/client';

export type ReleaseState = Schemas['Release']['state'];
export type Kind = Schemas['ReleaseMember']['kind'];

export const states: readonly ReleaseState[] = ['open', 'pending', 'approved', 'published', 'closed'];
export const kinds: readonly Kind[] = ['new', 'changed', 'unpublish'];

/** The state of the list of releases in its URL. */
export type ReleasesSearch = { state?: ReleaseState; search?: string; page?: number };

export function parseReleasesSearch(raw: Record<string, unknown>): ReleasesSearch {
  return {
    state: states.find((state) => state === raw.state),
    search: text(raw.search),
    page: positive(raw.page),
  };
}

/** The state of the page of a release in its URL. */
export type ReleaseSearch = {
  /** The record of its latest round; the page of a website; or, of an open release, what it changes instead of its definition. */
  tab?: 'changes' | 'record' | 'site';
  /** The id of the entry that is shown. */
  member?: number;
  /** The filters of the members: what changes for readers, a path that changes, a language, and the slug of a collection. */
  kind?: Kind;
  path?: string;
  locale?: string;
  collection?: string;
  /** Shows unchanged fields, too. */
  all?: true;
  /** The id of the request that a link was created for. */
  request?: number;
  /** The filter and order of the inbox, which determine the next request. */
  project?: number;
  sort?: 'newest' | 'due';
};

export function parseReleaseSearch(raw: Record<string, unknown>): ReleaseSearch {
  return {
    tab: (['changes', 'record', 'site'] as const).find((one) => one === raw.tab),
    member: positive(raw.member),
    kind: kinds.find((kind) => kind === raw.kind),
    path: text(raw.path),
    locale: text(raw.locale),
    collection: text(raw.collection),
    all: raw.all === true ? true : undefined,
    request: positive(raw.request),
    project: positive(raw.project),
    sort: raw.sort === 'newest' || raw.sort === 'due' ? raw.sort : undefined,
  };
}

const text = (raw: unknown) => (typeof raw === 'string' && raw !== '' ? raw : undefined);
