import { parseAbsolute, parseDateTime, toCalendarDateTime, toZoned } from '@internationalized/date';

/** The value of an input of type "datetime-local" for a time, in the zone. */
export const toLocal = (value: string | null, timeZone: string) => (value ? toCalendarDateTime(parseAbsolute(value, timeZone)).toString().slice(0, 16) : '');

/** The time that such a value means in the zone; undefined if it is none. */
export function fromLocal(value: string, timeZone: string): string | undefined {
  try {
    return toZoned(parseDateTime(value), timeZone).toAbsoluteString();
  } catch {
    return undefined;
  }
}
