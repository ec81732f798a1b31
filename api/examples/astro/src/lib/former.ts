import { ApiError } from '@imprimatur/client';
import type { Locale } from '../content.js';
import { client } from './cms.js';
import type { Slug } from './copy.js';
import { pathOf } from './paths.js';

/** Returns the address of the page whose entry had the slug before, or undefined. */
export async function former(collection: Slug, slug: string, locale: Locale): Promise<string | undefined> {
  try {
    return pathOf(collection, locale, await client.former(collection, slug, { locale }));
  } catch (error) {
    if (error instanceof ApiError && (error.status === 404 || error.status === 400)) return undefined; // unknown, or no slug
    throw error;
  }
}
