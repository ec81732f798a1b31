// Calendar days as "2026-11-23", without a time or time zone. These strings sort chronologically.

const dayLength = 86_400_000; // ms
const pattern = /^\d{4}-\d{2}-\d{2}$/;

const time = (day: string) => Date.parse(`${day}T00:00:00Z`);
const text = (at: number) => new Date(at).toISOString().slice(0, 10);

/** Whether a value is an existing day in the years that the API accepts. */
export function isDay(value: unknown): value is string {
  return typeof value === 'string' && pattern.test(value) && value > '0001' && !Number.isNaN(time(value)) && text(time(value)) === value;
}

export const addDays = (day: string, count: number) => text(time(day) + count * dayLength);

/** The same day count months later, or the last day of that month if it is shorter. */
export function addMonths(day: string, count: number) {
  const [year, month, date] = day.split('-').map(Number) as [number, number, number];
  const last = new Date(Date.UTC(year, month + count, 0)).getUTCDate();
  return text(Date.UTC(year, month - 1 + count, Math.min(date, last)));
}

/** The Monday of a day's week. */
export const startOfWeek = (day: string) => addDays(day, -((new Date(time(day)).getUTCDay() + 6) % 7));

/** The seven days of a day's week, starting on Monday. */
export const weekOf = (day: string) => span(startOfWeek(day), 7);

/** The days of all weeks that contain a part of a day's month. */
export function monthOf(day: string) {
  const first = startOfWeek(`${day.slice(0, 7)}-01`);
  const last = addDays(addMonths(`${day.slice(0, 7)}-01`, 1), -1);
  return span(first, Math.round((time(startOfWeek(last)) - time(first)) / dayLength) + 7);
}

const span = (first: string, count: number) => Array.from({ length: count }, (_, i) => addDays(first, i));

const formats = new Map<string, Intl.DateTimeFormat>(); // expensive to create

/** The calendar day of a moment in a time zone. */
export function dayOf(moment: string | number, timeZone: string) {
  let format = formats.get(timeZone);
  if (!format) formats.set(timeZone, (format = new Intl.DateTimeFormat('en', { timeZone, calendar: 'iso8601', year: 'numeric', month: '2-digit', day: '2-digit' })));
  const parts = format.formatToParts(new Date(moment));
  const part = (type: string) => parts.find((p) => p.type === type)?.value ?? '';
  return `${part('year').padStart(4, '0')}-${part('month')}-${part('day')}`;
}

/** The moment at which a day begins in a time zone. It is not midnight if a clock change skips midnight. */
export function startOf(day: string, timeZone: string) {
  // The start differs from midnight in UTC by at most 14 hours: a binary search finds it.
  let before = time(day) - 15 * 3_600_000;
  let after = time(day) + 15 * 3_600_000;
  while (after - before > 1_000) {
    const middle = Math.floor((before + after) / 2_000) * 1_000;
    if (dayOf(middle, timeZone) < day) before = middle;
    else after = middle;
  }
  return new Date(after).toISOString();
}

/** The day to which a key moves the focus in a grid of days; undefined for other keys. */
export function movedDay(key: string, shift: boolean, day: string): string | undefined {
  switch (key) {
    case 'ArrowLeft':
      return addDays(day, -1);
    case 'ArrowRight':
      return addDays(day, 1);
    case 'ArrowUp':
      return addDays(day, -7);
    case 'ArrowDown':
      return addDays(day, 7);
    case 'Home':
      return startOfWeek(day);
    case 'End':
      return addDays(startOfWeek(day), 6);
    case 'PageUp':
      return addMonths(day, shift ? -12 : -1);
    case 'PageDown':
      return addMonths(day, shift ? 12 : 1);
    default:
      return undefined;
  }
}
