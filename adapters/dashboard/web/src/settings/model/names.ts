import { useRef } from 'react';
import { api, dataOf } from '../../api/client';
import { useLanguage } from '../../i18n/language';

const maxName = 63;

/** The slug of a collection from the slug of its name, such as "press-releases". */
export const collectionSlugOf = (slug: string) => slug.replace(/[-_]+/g, '-').slice(0, maxName).replace(/-$/, '');

/** What the removed field was that keeps its name from another type, by the fault of the API; undefined for other faults. */
export function removedShape(fault: string | undefined) {
  const [found, type, target, multiple] = /it comes back only as ([a-z]+)(?: (?:to|of) ([a-z0-9-]+|several collections))?(, multiple)?$/.exec(fault ?? '') ?? [];
  return found === undefined ? undefined : { type: type!, target, multiple: multiple !== undefined };
}

/** The name of a field from the slug of its label, such as "publishedOn". Leading digits are dropped. */
export function fieldNameOf(slug: string): string {
  const [first = '', ...rest] = slug.split(/[-_]+/);
  const name = first + rest.map((word) => word.charAt(0).toUpperCase() + word.slice(1)).join('');
  const start = name.replace(/^[0-9]+/, '').slice(0, maxName);
  return start.charAt(0).toLowerCase() + start.slice(1);
}

/**
 * Suggests names from a text. The API derives the slugs, so that there is one rule for them. suggest
 * calls use with the name made from the latest text; settled waits for it.
 */
export function useSuggestion<T>(make: (slug: string) => T, use: (name: T) => void) {
  const language = useLanguage();
  const latest = useRef<Promise<T>>(undefined);
  return {
    suggest: (text: string) => {
      const made = (text.trim() ? dataOf(api.GET('/api/slug', { params: { query: { text, locale: language } } })) : Promise.resolve({ slug: '' })).then(
        ({ slug }) => make(slug),
        () => make(''), // offline: the user enters a name
      );
      latest.current = made;
      void made.then((name) => latest.current === made && use(name));
    },
    settled: () => latest.current ?? Promise.resolve(make('')),
  };
}
