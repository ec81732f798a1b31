
/** The state of the page in its URL. */
export type EntriesSearch = {};

export function parseEntriesSearch(_raw: Record<string, unknown>): EntriesSearch {
  return {};
}

/** The state of the page in its URL. */
export type HistorySearch = {};

export function parseHistorySearch(_raw: Record<string, unknown>): HistorySearch {
  return {};
}
