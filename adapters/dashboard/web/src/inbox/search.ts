import { positive } from '../shell/search';

/** The state of the inbox in its URL. */
export type InboxSearch = { tab?: 'waiting' | 'returned' | 'submitted' | 'scheduled' | 'decided' | 'failed' | 'unreachable'; project?: number; sort?: 'oldest' | 'newest' | 'due'; page?: number; /** Only requests with open comments. */ comments?: true; /** Only requests that the user may decide only on behalf of others. */ delegated?: true; /** Only requests past a deadline. */ overdue?: true };

const tabs = ['waiting', 'returned', 'submitted', 'scheduled', 'decided', 'failed', 'unreachable'] as const;

export function parseInboxSearch(raw: Record<string, unknown>): InboxSearch {
  return {
    tab: tabs.find((t) => t === raw.tab),
    project: positive(raw.project),
    sort: (['newest', 'oldest', 'due'] as const).find((sort) => sort === raw.sort),
    page: positive(raw.page),
    comments: raw.comments === true ? true : undefined,
    delegated: raw.delegated === true || undefined,
    overdue: raw.overdue === true || undefined,
  };
}
