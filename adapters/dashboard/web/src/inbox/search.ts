import { positive } from '../shell/search';

/** The state of the inbox in its URL. */
export type InboxSearch = { tab?: 'waiting' | 'returned' | 'submitted' | 'scheduled' | 'decided' | 'failed' | 'unreachable'; project?: number; sort?: 'oldest' | 'newest'; page?: number; /** Only requests with open comments. */ comments?: true; /** Only requests that the user may decide only on behalf of others. */ delegated?: true };

const tabs = ['waiting', 'returned', 'submitted', 'scheduled', 'decided', 'failed', 'unreachable'] as const;

export function parseInboxSearch(raw: Record<string, unknown>): InboxSearch {
  return {
    tab: tabs.find((t) => t === raw.tab),
    project: positive(raw.project),
    sort: raw.sort === 'newest' || raw.sort === 'oldest' ? raw.sort : undefined,
    page: positive(raw.page),
    comments: raw.comments === true ? true : undefined,
    delegated: raw.delegated === true || undefined,
  };
}
