import { getLocalTimeZone, now, parseAbsolute, parseDate, parseTime, toCalendarDateTime, toTimeZone, type CalendarDate, type Time, type ZonedDateTime } from '@internationalized/date';
import { CalendarDays, ChevronLeft, ChevronRight } from 'lucide-react';
import {
  Button,
  Calendar,
  CalendarCell,
  CalendarGrid,
  CalendarGridBody,
  CalendarGridHeader,
  CalendarHeaderCell,
  DateInput,
  DatePicker,
  DateSegment,
  Dialog,
  Group,
  Heading,
  I18nProvider,
  Popover,
  TimeField,
} from 'react-aria-components';
import { useFormat } from '../i18n/format';
import styles from './datebox.module.css';
import type { ControlAttributes } from './textfields';
import ui from './ui.module.css';

// React Aria empties the region of its announcements with innerHTML = '' while a value changes. The
// policy of the page refuses every text there, so the default policy allows the empty one, and no other.
// It throws for others: null would be an empty text for code that asks the policy itself, as the editor
// of rich text does with what is pasted.
type Policies = { createPolicy(name: 'default', rules: { createHTML(html: string): string }): unknown };
(globalThis as { trustedTypes?: Policies }).trustedTypes?.createPolicy('default', {
  createHTML(html) {
    if (html === '') return html;
    throw new TypeError('no text may be set as HTML');
  },
});

export type DateBoxProps = {
  /** What the value is: "2026-03-02", "06:00:00", or a point in time such as "2026-03-02T05:00:00.000Z". */
  kind: 'date' | 'time' | 'datetime';
  attributes: ControlAttributes & { 'aria-label'?: string };
  value: string | null;
  /** Called with each complete value, and with null when it is cleared. */
  onChange: (value: string | null) => void;
  /** The zone in which a point in time is written. */
  timeZone?: string;
  autoFocus?: boolean;
};

type Labels = Pick<DateBoxProps, 'autoFocus'> & { attributes: ControlAttributes & { 'aria-label'?: string } };

/**
 * A control for a date, a time of day or a point in time. It writes them as the chosen language
 * does, which native controls do not, and names the time zone of a point in time.
 */
export default function DateBox(props: DateBoxProps) {
  const { tag } = useFormat();
  return (
    <I18nProvider locale={tag}>
      <Box {...props} />
    </I18nProvider>
  );
}

function Box({ kind, value, onChange, timeZone = getLocalTimeZone(), ...labels }: DateBoxProps) {
  if (kind === 'time') {
    return (
      <TimeField {...common(labels)} granularity="second" value={parsed(parseTime, value)} onChange={(time: Time | null) => onChange(time ? time.toString().slice(0, 8) : null)}>
        <Group className={styles.box!}>
          <DateInput className={styles.segments!}>{segment}</DateInput>
        </Group>
      </TimeField>
    );
  }
  if (kind === 'date') {
    return (
      <DatePicker {...common(labels)} value={parsed(parseDate, value)} onChange={(day: CalendarDate | null) => onChange(day?.toString() ?? null)}>
        <Opened />
      </DatePicker>
    );
  }
  const at = parsed((text) => toTimeZone(parseAbsolute(text, 'UTC'), timeZone), value);
  return (
    <DatePicker<ZonedDateTime>
      {...common(labels)}
      granularity={at && toCalendarDateTime(at).second ? 'second' : 'minute'}
      placeholderValue={now(timeZone).set({ minute: 0, second: 0, millisecond: 0 })}
      value={at}
      onChange={(time) => onChange(time?.toAbsoluteString() ?? null)}
    >
      <Opened />
    </DatePicker>
  );
}

function common({ attributes, autoFocus }: Labels) {
  const { id, 'aria-label': label, 'aria-describedby': describedBy, 'aria-invalid': invalid, 'aria-required': required } = attributes;
  return {
    id,
    ...(label ? { 'aria-label': label } : { 'aria-labelledby': `${id}-label` }),
    'aria-describedby': describedBy,
    isInvalid: invalid ?? false,
    isRequired: required ?? false,
    validationBehavior: 'aria' as const,
    autoFocus,
    className: styles.field!,
  };
}

/** The value of a text; null if there is none, or if it is malformed. */
export function parsed<T>(parse: (text: string) => T, text: string | null): T | null {
  try {
    return text ? parse(text) : null;
  } catch {
    return null;
  }
}

const segment = (one: React.ComponentProps<typeof DateSegment>['segment']) => <DateSegment segment={one} className={styles.segment!} />;

/** The segments of a date picker, and its calendar. */
function Opened() {
  return (
    <>
      <Group className={styles.box!}>
        <DateInput className={styles.segments!}>{segment}</DateInput>
        <Button className={styles.open!}>
          <CalendarDays aria-hidden />
        </Button>
      </Group>
      <Popover className={ui.popover!}>
        <Dialog className={styles.dialog!}>
          <Calendar>
            <header className={styles.head}>
              <Button slot="previous" className={styles.open!}>
                <ChevronLeft aria-hidden />
              </Button>
              <Heading level={2} />
              <Button slot="next" className={styles.open!}>
                <ChevronRight aria-hidden />
              </Button>
            </header>
            <CalendarGrid>
              <CalendarGridHeader>{(day) => <CalendarHeaderCell className={styles.weekday!}>{day}</CalendarHeaderCell>}</CalendarGridHeader>
              <CalendarGridBody>{(date) => <CalendarCell date={date} className={styles.day!} />}</CalendarGridBody>
            </CalendarGrid>
          </Calendar>
        </Dialog>
      </Popover>
    </>
  );
}
