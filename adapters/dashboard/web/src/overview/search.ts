import { positive } from '../shell/search';
import { isDay } from './days';

/** The state of the calendar in its URL. */
export type CalendarSearch = {
  view?: 'week';
  /** The day that has the keyboard, which decides the month or week; today if it is left out. */
  date?: string;
  /** Only what happens in this Project. */
  project?: number;
};

export function parseCalendarSearch(raw: Record<string, unknown>): CalendarSearch {
  return {
    view: raw.view === 'week' ? 'week' : undefined,
    date: isDay(raw.date) ? raw.date : undefined,
    project: positive(raw.project),
  };
}

/** How many days the overview looks back; 30 if it is left out. */
export const spans = [7, 30, 90] as const;
export type OverviewSearch = { days?: (typeof spans)[number] };

export function parseOverviewSearch(raw: Record<string, unknown>): OverviewSearch {
  return { days: spans.find((days) => days === Number(raw.days) && days !== 30) };
}
