import type { Locale } from '../content.js';
import type { Copy, Put, Slug } from './copy.js';

/** The part of the address that names an entry. */
export function nameIn(entry: { id: number; slug?: string | null; code?: string | null }): string {
  return entry.slug ?? entry.code?.toLowerCase() ?? String(entry.id);
}

export const home = (locale: Locale) => `/${locale}/`;
export const pathOf = (collection: Slug, locale: Locale, entry: Parameters<typeof nameIn>[0]) => `/${locale}/${collection}/${nameIn(entry)}/`;

export interface Alternate {
  locale: Locale;
  href: string;
}

/** Returns the addresses of the translations of an entry. Locales that fall back have none: their page is a copy. */
export function alternatesOf(copy: Copy, put: Put): Alternate[] {
  return copy.translations(put.collection, put.group).map(({ locale, collection, entry }) => ({ locale, href: pathOf(collection, locale, entry) }));
}
