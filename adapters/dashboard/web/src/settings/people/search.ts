import { positive } from '../../shell/search';

/** The state of the page in its URL: the filters by organisation and text, and the page number. */
export type UsersSearch = { tenant?: number; search?: string; page?: number };

export function parseUsersSearch(raw: Record<string, unknown>): UsersSearch {
  const search = typeof raw.search === 'string' || typeof raw.search === 'number' ? String(raw.search).trim() : '';
  const page = positive(raw.page);
  return { tenant: positive(raw.tenant), search: search || undefined, page: page === 1 ? undefined : page };
}
