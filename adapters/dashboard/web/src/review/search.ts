import { positive } from '../shell/search';

/** The state of the page in its URL. */
export type ReviewSearch = {
  tab?: 'preview' | 'record';
  /** The comparison with the draft, in place of the one with the published version. */
  compare?: 'draft';
  /** Shows the fields that are unchanged too. */
  all?: true;
  /** The request that a link was made for; the page shows the entry's latest one. */
  request?: number;
  /** The filter and order of the inbox that leads through its requests. */
  project?: number;
  sort?: 'newest';
};

export function parseReviewSearch(raw: Record<string, unknown>): ReviewSearch {
  return {
    tab: raw.tab === 'preview' || raw.tab === 'record' ? raw.tab : undefined,
    compare: raw.compare === 'draft' ? 'draft' : undefined,
    all: raw.all === true ? true : undefined,
    request: positive(raw.request),
    project: positive(raw.project),
    sort: raw.sort === 'newest' ? 'newest' : undefined,
  };
}
