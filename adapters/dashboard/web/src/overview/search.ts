
/** The state of the page in its URL. */
export type CalendarSearch = {};

export function parseCalendarSearch(_raw: Record<string, unknown>): CalendarSearch {
  return {};
}

/** The state of the page in its URL. */
export type OverviewSearch = {};

export function parseOverviewSearch(_raw: Record<string, unknown>): OverviewSearch {
  return {};
}
