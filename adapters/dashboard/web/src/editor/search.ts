import { positive } from '../shell/search';

const locale = (value: unknown) => (typeof value === 'string' && /^[A-Za-z0-9-]{1,35}$/.test(value) ? value : undefined);

/** The URL state of a new entry: its locale, and the id of the entry that it translates. */
export type NewEntrySearch = { locale?: string; of?: number };

export function parseNewEntrySearch(raw: Record<string, unknown>): NewEntrySearch {
  return { locale: locale(raw.locale), of: positive(raw.of) };
}

/** beside is the locale of the translation to show beside the fields. */
export type EntrySearch = { beside?: string };

export function parseEntrySearch(raw: Record<string, unknown>): EntrySearch {
  return { beside: locale(raw.beside) };
}
