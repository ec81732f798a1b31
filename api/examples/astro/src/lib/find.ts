import { ApiError } from '@imprimatur/client';
import type { Locale } from '../content.js';
import { client } from './cms.js';
import { readCopy, type Copy, type Put, type Slug } from './copy.js';
import { pathOf } from './paths.js';

type Found<C extends Slug> = { copy: Copy; locale: Locale; put: Put<C> };

/**
 * Returns the entry that an address names. Without one it returns the response: to where the entry is now that had the
 * address before, or 404.
 */
export async function find<C extends Slug>(collection: C, params: Record<string, string | undefined>): Promise<Found<C> | Response> {
  const copy = await readCopy();
  const locale = localeIn(copy, params);
  const name = params['name'] ?? '';
  const put = locale && copy.named(collection, locale, name);
  if (put) return { copy, locale, put };
  const to = locale && (await former(collection, name, locale));
  return to ? new Response(null, { status: 301, headers: { Location: to } }) : gone();
}

/** The locale of an address, if it is one of the site. */
export const localeIn = (copy: Copy, params: Record<string, string | undefined>): Locale | undefined => copy.project.locales.find((one) => one === params['locale']);

/** Astro draws 404.astro for it. */
export const gone = () => new Response(null, { status: 404 });

/** Returns the address of the page whose entry had the slug before, or undefined. */
async function former(collection: Slug, slug: string, locale: Locale): Promise<string | undefined> {
  try {
    return pathOf(collection, locale, await client.former(collection, slug, { locale }));
  } catch (error) {
    if (error instanceof ApiError && (error.status === 404 || error.status === 400)) return undefined; // unknown, or no slug
    throw error;
  }
}
