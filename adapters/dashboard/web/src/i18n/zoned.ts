import { parseAbsolute, parseDateTime, toCalendarDateTime, toZoned } from '@internationalized/date';

/** Converts a time to the value of an input of type "datetime-local" in a time zone. */
export const toLocal = (value: string | null, timeZone: string) => (value ? toCalendarDateTime(parseAbsolute(value, timeZone)).toString().slice(0, 16) : '');

/** Converts such a value in a time zone to a time; undefined if it is invalid. */
export function fromLocal(value: string, timeZone: string): string | undefined {
  try {
    return toZoned(parseDateTime(value), timeZone).toAbsoluteString();
  } catch {
    return undefined;
  }
}
