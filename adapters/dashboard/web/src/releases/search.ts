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
    search: typeof raw.search === 'string' && raw.search !== '' ? raw.search : undefined,
    page: positive(raw.page),
  };
}

/** The state of the page of a release in its URL. */
export type ReleaseSearch = {
  /** The record of its latest round; or, of an open release, what it changes instead of its definition. */
  tab?: 'changes' | 'record';
  /** The id of the entry that is shown. */
  member?: number;
  /** The filters of the members: what changes for readers, and a path that changes. */
  kind?: Kind;
  path?: string;
  /** Shows unchanged fields, too. */
  all?: true;
  /** The id of the request that a link was created for. */
  request?: number;
  /** The filter and order of the inbox, which determine the next request. */
  project?: number;
  sort?: 'newest';
};

export function parseReleaseSearch(raw: Record<string, unknown>): ReleaseSearch {
  return {
    tab: raw.tab === 'changes' || raw.tab === 'record' ? raw.tab : undefined,
    member: positive(raw.member),
    kind: kinds.find((kind) => kind === raw.kind),
    path: typeof raw.path === 'string' && raw.path !== '' ? raw.path : undefined,
    all: raw.all === true ? true : undefined,
    request: positive(raw.request),
    project: positive(raw.project),
    sort: raw.sort === 'newest' ? 'newest' : undefined,
  };
}
