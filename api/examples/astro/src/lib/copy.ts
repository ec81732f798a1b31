// What the pages read of the copy: the entry of a translation group that serves a reader's locale, and what it names.

import { getCollection } from 'astro:content';
import type { Change, Collections, Locale, MediaView, Schema } from '../content.js';
import { follow, type Place } from './follow.js';
import { nameIn } from './paths.js';

export type Slug = keyof Collections;
export type Put<C extends Slug = Slug> = Extract<Change, { op: 'put'; collection: C }>;

type Stored =
  | ({ kind: 'entry' } & Put)
  | ({ kind: 'media' } & MediaView)
  | ({ kind: 'place' } & Place)
  | { kind: 'project'; name: string; defaultLocale: Locale; locales: Locale[]; fallbacks: Partial<Record<Locale, Locale[]>> };

export interface Copy {
  project: Extract<Stored, { kind: 'project' }>;
  /** The entries of a collection that readers of the locale see: one of each translation group. */
  list<C extends Slug>(collection: C, locale: Locale): Put<C>[];
  /** The entry of the group that readers of the locale see. */
  serving<C extends Slug>(collection: C, group: number, locale: Locale): Put<C> | undefined;
  /** The entry of the list whose address has the name. */
  named<C extends Slug>(collection: C, locale: Locale, name: string): Put<C> | undefined;
  /** The entry with the id, in its own locale. */
  entry(collection: string, id: number): Put | undefined;
  /** All public translations of the group. */
  translations<C extends Slug>(collection: C, group: number): Put<C>[];
  /** A picture, also one of which an entry has only the id. */
  picture(named: { id: number } | MediaView | null): MediaView | null;
}

/** What the build has copied, and the changes since. */
let stored: Promise<Map<string, Stored>> | undefined;
let kept: Promise<Copy> | undefined;

/** Grows with each change of the copy. Pages of another version are outdated. */
export let version = 0;

/** Returns the copy: while the site is developed, what the build has copied. */
export const readCopy = (): Promise<Copy> => (import.meta.env.PROD ? (kept ??= update().then(() => kept!)) : built().then(indexed));

const built = async () => new Map((await getCollection('copy')).map(({ id, data }) => [id, data as unknown as Stored]));

let running: Promise<unknown> = Promise.resolve();
let waiting: Promise<void> | undefined;

/** Reads what has changed. What is asked for while that runs is one more read; pages show the copy before until then. */
export function update(): Promise<void> {
  waiting ??= running.then(() => {
    waiting = undefined;
    const done = readChanges();
    running = done.catch(() => undefined);
    return done;
  });
  return waiting;
}

async function readChanges() {
  const started = Date.now();
  const next = new Map(await (stored ??= built()));
  const applied = await follow({
    put: (key, data) => next.set(key, data as unknown as Stored),
    delete: (key) => next.delete(key),
    keys: () => [...next.keys()],
    get place() {
      return next.get('place') as (Stored & { kind: 'place' }) | undefined;
    },
    set place(to) {
      if (to) next.set('place', { ...to, kind: 'place' });
      else next.delete('place');
    },
  });
  const copy = indexed(next);
  stored = Promise.resolve(next);
  kept = Promise.resolve(copy);
  version++;
  console.log(`${applied} changes, ${next.size - 2} entries and files in ${Date.now() - started} ms`);
}

function indexed(all: Map<string, Stored>): Copy {
  const groups = new Map<string, Map<number, Map<Locale, Put>>>();
  const entries = new Map<string, Put>();
  const names = new Map<string, Map<string, Put>>();
  const library = new Map<number, MediaView>();
  let project: Copy['project'] | undefined;
  for (const one of all.values()) {
    if (one.kind === 'project') project = one;
    else if (one.kind === 'media') library.set(one.id, one);
    else if (one.kind === 'entry') {
      entries.set(`${one.collection}/${one.id}`, one);
      const ofCollection = at(groups, one.collection, () => new Map<number, Map<Locale, Put>>());
      at(ofCollection, one.group, () => new Map<Locale, Put>()).set(one.locale, one);
    }
  }
  if (!project) throw new Error('the copy of the content is empty');
  const { fallbacks } = project;

  const served = (translations: Map<Locale, Put> | undefined, locale: Locale) =>
    [locale, ...(fallbacks[locale] ?? [])].map((one) => translations?.get(one)).find((entry) => entry !== undefined);
  const list = <C extends Slug>(collection: C, locale: Locale) =>
    [...(groups.get(collection)?.values() ?? [])].flatMap((translations) => served(translations, locale) ?? []) as Put<C>[];
  return {
    project,
    list,
    named: <C extends Slug>(collection: C, locale: Locale, name: string) =>
      at(names, `${collection}/${locale}`, () => new Map(list(collection, locale).map((put) => [nameIn(put.entry), put]))).get(name) as Put<C> | undefined,
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

export type { Locale, MediaView, Schema };
