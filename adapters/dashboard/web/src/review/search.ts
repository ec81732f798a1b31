import { positive } from '../shell/search';

/** The state of the page in its URL. */
export type ReviewSearch = {
  tab?: 'preview' | 'record' | 'site';
  /**
   * What is compared: the draft with the submitted version, or the submitted version with the public one, with
   * the one that was reviewed last, or with the first submission. The default is what the user reviewed last, or else what is public.
   */
  compare?: 'draft' | 'public' | 'reviewed' | 'first';
  /** Shows unchanged fields, too. */
  all?: true;
  /** The id of the request that a link was created for. The page shows the entry's latest request. */
  request?: number;
  /** The filter and order of the inbox, which determine the next request. */
  project?: number;
  sort?: 'newest' | 'due';
};

export function parseReviewSearch(raw: Record<string, unknown>): ReviewSearch {
  return {
    tab: (['preview', 'record', 'site'] as const).find((one) => one === raw.tab),
    compare: (['draft', 'public', 'reviewed', 'first'] as const).find((one) => one === raw.compare),
    all: raw.all === true ? true : undefined,
    request: positive(raw.request),
    project: positive(raw.project),
    sort: raw.sort === 'newest' || raw.sort === 'due' ? raw.sort : undefined,
  };
}
