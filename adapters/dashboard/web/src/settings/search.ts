
/** The state of the page in its URL. */
export type UsersSearch = {};

export function parseUsersSearch(_raw: Record<string, unknown>): UsersSearch {
  return {};
}
