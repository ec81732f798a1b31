// What the pages read of the copy: the entry of a translation group that serves a reader's locale, and what it names.

import { getCollection } from 'astro:content';
import type { Change, Collections, Locale, MediaView, Schema } from '../content.js';

export type Slug = keyof Collections;
export type Put<C extends Slug = Slug> = Extract<Change, { op: 'put'; collection: C }>;

type Stored =
  | ({ kind: 'entry' } & Put)
  | ({ kind: 'media' } & MediaView)
  | { kind: 'project'; name: string; defaultLocale: Locale; locales: Locale[]; fallbacks: Partial<Record<Locale, Locale[]>> };

export interface Copy {
  project: Extract<Stored, { kind: 'project' }>;
  /** The entries of a collection that readers of the locale see: one of each translation group. */
  list<C extends Slug>(collection: C, locale: Locale): Put<C>[];
  /** The entry of the group that readers of the locale see. */
  serving<C extends Slug>(collection: C, group: number, locale: Locale): Put<C> | undefined;
  /** The entry with the id, in its own locale. */
  entry(collection: string, id: number): Put | undefined;
  /** All public translations of the group. */
  translations<C extends Slug>(collection: C, group: number): Put<C>[];
  /** A picture, also one of which an entry has only the id. */
  picture(named: { id: number } | MediaView | null): MediaView | null;
}

let kept: Promise<Copy> | undefined;

/** Returns the copy: one for a whole build, and a new one for each page while the site is developed. */
export const readCopy = (): Promise<Copy> => (import.meta.env.PROD ? (kept ??= read()) : read());

async function read(): Promise<Copy> {
  const groups = new Map<string, Map<number, Map<Locale, Put>>>();
  const entries = new Map<string, Put>();
  const library = new Map<number, MediaView>();
  let project: Copy['project'] | undefined;
  for (const { data } of await getCollection('copy')) {
    const stored = data as unknown as Stored;
    if (stored.kind === 'project') project = stored;
    else if (stored.kind === 'media') library.set(stored.id, stored);
    else {
      entries.set(`${stored.collection}/${stored.id}`, stored);
      const ofCollection = at(groups, stored.collection, () => new Map<number, Map<Locale, Put>>());
      at(ofCollection, stored.group, () => new Map<Locale, Put>()).set(stored.locale, stored);
    }
  }
  if (!project) throw new Error('the copy of the content is empty');
  const { fallbacks } = project;

  const served = (translations: Map<Locale, Put> | undefined, locale: Locale) =>
    [locale, ...(fallbacks[locale] ?? [])].map((one) => translations?.get(one)).find((entry) => entry !== undefined);
  return {
    project,
    list: <C extends Slug>(collection: C, locale: Locale) =>
      [...(groups.get(collection)?.values() ?? [])].flatMap((translations) => served(translations, locale) ?? []) as Put<C>[],
    serving: <C extends Slug>(collection: C, group: number, locale: Locale) => served(groups.get(collection)?.get(group), locale) as Put<C> | undefined,
    entry: (collection, id) => entries.get(`${collection}/${id}`),
    translations: <C extends Slug>(collection: C, group: number) => [...(groups.get(collection)?.get(group)?.values() ?? [])] as Put<C>[],
    picture: (named) => (named && 'fullUrl' in named ? named : (named && library.get(named.id)) || null),
  };
}

function at<K, V>(map: Map<K, V>, key: K, make: () => V): V {
  const found = map.get(key) ?? make();
  map.set(key, found);
  return found;
}

/** The locales of the site, for getStaticPaths. */
export async function locales(): Promise<Locale[]> {
  return (await readCopy()).project.locales;
}

export type { Locale, MediaView, Schema };
