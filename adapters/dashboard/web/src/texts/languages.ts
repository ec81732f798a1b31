import type * as en from './en';

/** The texts of a language. The pages load each area by itself. */
export type Texts = typeof en;
export type Area = keyof Texts;

/**
 * The languages of the dashboard. The file of this folder with the name of a language has its texts:
 * all texts of en.ts and no others.
 */
export const languages = {
  en: language<typeof import('./en')>({ name: 'English', formats: 'en-GB', controls: 'en-US' }),
  de: language<typeof import('./de')>({ name: 'Deutsch', formats: 'de-DE', controls: 'de-DE' }),
};

export type Language = keyof typeof languages;

type Names = {
  /** Its name in the language itself. */
  name: string;
  /** The tag for formats of dates and numbers. */
  formats: string;
  /** The tag for the texts of React Aria. */
  controls: string;
};

/** Describes a language. Own is the type of its file. */
function language<Own extends Texts & Record<Exclude<keyof Own, Area>, never>>(names: Names): Names & { texts?: Own } {
  return names;
}
