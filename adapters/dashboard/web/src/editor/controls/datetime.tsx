import { parseAbsolute, parseDateTime, toTimeZone, toZoned } from '@internationalized/date';
import { useFormat } from '../../i18n/format';
import { inputClass } from '../../ui/textfields';
import type { ControlProps } from './simple';

/** A control for a point in time, in the user's time zone. */
export default function DateTimeControl({ attributes, value, onChange }: Omit<ControlProps, 'field'>) {
  const { timeZone } = useFormat();
  return (
    <input
      {...attributes}
      className={inputClass}
      type="datetime-local"
      value={localOf(typeof value === 'string' ? value : '', timeZone)}
      onChange={(e) => onChange(instantOf(e.target.value, timeZone))}
    />
  );
}

/** The local date and time of an instant, in the format of an input of type "datetime-local". */
export function localOf(instant: string, timeZone: string) {
  try {
    const local = toTimeZone(parseAbsolute(instant, 'UTC'), timeZone);
    return local.toString().slice(0, local.second || local.millisecond ? 19 : 16);
  } catch {
    return '';
  }
}

/** The instant of a local date and time. If a clock change repeats the hour, it is the earlier instant. */
export function instantOf(local: string, timeZone: string) {
  try {
    return toZoned(parseDateTime(local), timeZone, 'earlier').toAbsoluteString();
  } catch {
    return null;
  }
}
