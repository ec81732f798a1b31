import { positive } from '../shell/search';
import { isDay } from './days';

/** The state of the calendar in its URL. */
export type CalendarSearch = {
  view?: 'week';
  /** The focused day, which determines the month or week that is shown; default: today. */
  date?: string;
  /** Shows only this Project. */
  project?: number;
};

export function parseCalendarSearch(raw: Record<string, unknown>): CalendarSearch {
  return {
    view: raw.view === 'week' ? 'week' : undefined,
    date: isDay(raw.date) ? raw.date : undefined,
    project: positive(raw.project),
  };
}

/** The possible periods of the overview in days; default: 30. */
export const spans = [7, 30, 90] as const;
export type OverviewSearch = { days?: (typeof spans)[number] };

export function parseOverviewSearch(raw: Record<string, unknown>): OverviewSearch {
  return { days: spans.find((days) => days === Number(raw.days) && days !== 30) };
}
