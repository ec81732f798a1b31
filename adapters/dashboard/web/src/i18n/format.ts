import { createContext, useContext } from 'react';
import { languages } from '../texts/languages';
import { useLanguage } from './language';

/** The time zone from the user's settings; null: the browser's time zone. */
export const TimeZoneContext = createContext<string | null>(null);

export const browserTimeZone = later(() => Intl.DateTimeFormat().resolvedOptions().timeZone);

const units: [Intl.RelativeTimeFormatUnit, number][] = [
  ['year', 31_536_000],
  ['month', 2_592_000],
  ['week', 604_800],
  ['day', 86_400],
  ['hour', 3_600],
  ['minute', 60],
];

/** The text with its first letter in upper case. */
export const sentence = (text: string) => text.charAt(0).toUpperCase() + text.slice(1);

/** Returns formatters for the user's language and time zone. Times are in RFC 3339, like in the API. */
export function useFormat() {
  const tag = languages[useLanguage()].formats;
  const chosen = useContext(TimeZoneContext);
  return once(`${tag} ${chosen}`, () => {
    const timeZone = chosen ?? undefined; // undefined: the browser's
    const date = later(() => new Intl.DateTimeFormat(tag, { dateStyle: 'medium', timeZone }));
    const dateTime = later(() => new Intl.DateTimeFormat(tag, { dateStyle: 'medium', timeStyle: 'short', timeZone }));
    const exact = later(() => new Intl.DateTimeFormat(tag, { dateStyle: 'full', timeStyle: 'long', timeZone }));
    const time = later(() => new Intl.DateTimeFormat(tag, { timeStyle: 'short', timeZone }));
    const day = later(() => new Intl.DateTimeFormat(tag, { dateStyle: 'medium', timeZone: 'UTC' }));
    const dayAs = (options: Intl.DateTimeFormatOptions) => {
      const form = later(() => new Intl.DateTimeFormat(tag, { ...options, timeZone: 'UTC' }));
      return (value: string) => form().format(new Date(`${value}T00:00:00Z`));
    };
    const weekday = later(() => new Intl.DateTimeFormat(tag, { weekday: 'long', timeZone }));
    const calendarDay = later(() => new Intl.DateTimeFormat('en-CA', { dateStyle: 'short', timeZone })); // 2026-03-02
    const relative = later(() => new Intl.RelativeTimeFormat(tag, { numeric: 'auto' }));
    const number = later(() => new Intl.NumberFormat(tag));
    const list = later(() => new Intl.ListFormat(tag));
    const languageNames = later(() => new Intl.DisplayNames(tag, { type: 'language' }));
    return {
      tag,
      /** Whether numbers have a decimal comma: 1,5. */
      decimalComma: once(`${tag} comma`, () => new Intl.NumberFormat(tag).format(1.5).includes(',')),
      get timeZone() {
        return chosen ?? browserTimeZone();
      },
      date: (value: string) => date().format(new Date(value)),
      dateTime: (value: string) => dateTime().format(new Date(value)),
      exact: (value: string) => exact().format(new Date(value)),
      time: (value: string) => time().format(new Date(value)),
      /** A calendar date without a time zone, such as "2026-03-02". */
      day: (value: string) => day().format(new Date(`${value}T00:00:00Z`)),
      /** Parts of a calendar date: "Monday, 23 November 2026", "23 Nov", "23", "Mon", "November 2026". */
      calendar: {
        full: dayAs({ dateStyle: 'full' }),
        short: dayAs({ day: 'numeric', month: 'short' }),
        number: dayAs({ day: 'numeric' }),
        weekday: dayAs({ weekday: 'short' }),
        month: dayAs({ month: 'long', year: 'numeric' }),
      },
      /** A planned time: "Tomorrow 06:00", "Monday 06:00", "2 Mar 2026, 06:00". */
      planned: (value: string, now = Date.now()) => {
        const at = new Date(value);
        const days = Math.round((Date.parse(calendarDay().format(at)) - Date.parse(calendarDay().format(now))) / 86_400_000);
        if (Math.abs(days) > 6) return dateTime().format(at);
        const name = Math.abs(days) < 2 ? relative().format(days, 'day') : weekday().format(at);
        return `${sentence(name)} ${time().format(at)}`;
      },
      number: (value: number) => number().format(value),
      list: (values: string[]) => list().format(values),
      /** "3 days ago", "in 2 hours"; within a minute "now". */
      relative: (value: string, now = Date.now()) => {
        const seconds = (new Date(value).getTime() - now) / 1000;
        const [unit, size] = units.find(([, s]) => Math.abs(seconds) >= s) ?? ['second', Infinity];
        return relative().format(Math.trunc(seconds / size) || 0, unit);
      },
      /** A duration: "6 days", "12 min". */
      duration: (from: string, to = Date.now(), display?: 'long') => {
        const seconds = Math.max(0, (to - new Date(from).getTime()) / 1000);
        const [unit, size] = units.find(([name, s]) => name !== 'week' && seconds >= s) ?? (['minute', 60] as const);
        const count = Math.floor(seconds / size);
        const text = once(`${tag} ${unit} ${display}`, () => new Intl.NumberFormat(tag, { style: 'unit', unit, unitDisplay: display ?? (unit === 'hour' || unit === 'minute' ? 'short' : 'long') })).format(count || 1);
        return count === 0 && !display ? `< ${text}` : text;
      },
      /** "2.4 MB" */
      bytes: (value: number) => {
        const [unit, size] = value >= 1e6 ? (['megabyte', 1e6] as const) : value >= 1e3 ? (['kilobyte', 1e3] as const) : (['byte', 1] as const);
        return once(`${tag} ${unit}`, () => new Intl.NumberFormat(tag, { style: 'unit', unit, unitDisplay: unit === 'byte' ? 'long' : 'short', maximumFractionDigits: size === 1e6 ? 1 : 0 })).format(value / size);
      },
      /** The name of a content locale: "French (fr)". */
      locale: (value: string) => {
        try {
          return languageNames().of(value) ?? value;
        } catch {
          return value;
        }
      },
    };
  });
}

// Creating Intl formatters is slow, so each is created once, when it is first used.

const made = new Map<string, unknown>();

/** Returns the result of make, memoized by key. */
function once<T>(key: string, make: () => T): T {
  if (!made.has(key)) made.set(key, make());
  return made.get(key) as T;
}

/** Returns a function that calls make once, at the first call, and returns its result. */
function later<T>(make: () => T): () => T {
  let value: T | undefined;
  return () => (value ??= make());
}
