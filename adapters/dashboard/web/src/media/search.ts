
/** The state of the page in its URL. */
export type MediaSearch = {};

export function parseMediaSearch(_raw: Record<string, unknown>): MediaSearch {
  return {};
}
