import { parseAbsolute, parseDate, Time, toCalendarDate, toCalendarDateTime, toZoned } from '@internationalized/date';

/** The last second of a day in a time zone, in the time format of the API. */
export function endOfDay(day: string, timeZone: string) {
  return toZoned(toCalendarDateTime(parseDate(day), new Time(23, 59, 59)), timeZone).toDate().toISOString();
}

/** The day of a time in a time zone, in the format of <input type="date">. */
export function dateOf(time: string, timeZone: string) {
  return toCalendarDate(parseAbsolute(time, timeZone)).toString();
}
