
/** The state of the page in its URL. */
export type ReviewSearch = {};

export function parseReviewSearch(_raw: Record<string, unknown>): ReviewSearch {
  return {};
}
