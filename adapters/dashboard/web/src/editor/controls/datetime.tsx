import { parseAbsolute, parseDateTime, toTimeZone, toZoned } from '@internationalized/date';
import { useFormat } from '../../i18n/format';
import { inputClass } from '../../ui/textfields';
import type { ControlProps } from './simple';

/** A point in time, shown and entered in the user's zone. */
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

/** The local date and time of an instant, as an input wants it. */
export function localOf(instant: string, timeZone: string) {
  try {
    const local = toTimeZone(parseAbsolute(instant, 'UTC'), timeZone);
    return local.toString().slice(0, local.second || local.millisecond ? 19 : 16);
  } catch {
    return '';
  }
}

/** The instant of a local date and time. In the hour that the clock repeats it is the first. */
export function instantOf(local: string, timeZone: string) {
  try {
    return toZoned(parseDateTime(local), timeZone, 'earlier').toAbsoluteString();
  } catch {
    return null;
  }
}
