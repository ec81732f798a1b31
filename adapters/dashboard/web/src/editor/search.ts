
/** The state of the page in its URL. */
export type NewEntrySearch = {};

export function parseNewEntrySearch(_raw: Record<string, unknown>): NewEntrySearch {
  return {};
}

/** The state of the page in its URL. */
export type EntrySearch = {};

export function parseEntrySearch(_raw: Record<string, unknown>): EntrySearch {
  return {};
}
