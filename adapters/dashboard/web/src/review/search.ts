import { positive } from '../shell/search';

/** The state of the page in its URL. */
export type ReviewSearch = {
  tab?: 'preview' | 'record';
  /** Compares with the draft instead of the published version. */
  compare?: 'draft';
  /** Shows unchanged fields, too. */
  all?: true;
  /** The id of the request that a link was created for. The page shows the entry's latest request. */
  request?: number;
  /** The filter and order of the inbox, which determine the next request. */
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
