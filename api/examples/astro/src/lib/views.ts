// What the components draw: of the copy and of a preview alike.

import type { EntryLink } from '@imprimatur/client/rich-text';
import type { Articles, Collections, Locale, MediaView, Pages } from '../content.js';
import type { Copy, Put, Slug } from './copy.js';
import { pathOf } from './paths.js';

export interface Linked {
  title: string;
  href: string;
}

/** Returns the address of the target of a link in rich text; undefined if readers do not see it. */
export type Resolve = (link: EntryLink<unknown>) => string | undefined;

export interface ArticleView {
  locale: Locale;
  title: string;
  summary: string | null;
  body: string;
  publishedOn: string | null;
  category: string | null;
  tags: string[];
  cover: MediaView | null;
  country: Linked | undefined;
}

export type Block =
  | { type: 'hero'; key: string; title: string | null; lead: string | null; image: MediaView | null }
  | { type: 'text'; key: string; body: string }
  | { type: 'quote'; key: string; words: string | null; by: string | null }
  | { type: 'gallery'; key: string; title: string | null; images: MediaView[] }
  | { type: 'related'; key: string; title: string | null; links: Linked[] }
  | { type: 'action'; key: string; label: string; url: string };

export interface PageView {
  locale: Locale;
  title: string;
  description: string | null;
  blocks: Block[];
}

type Named = { id: number; title?: string | null; name?: string | null; slug?: string | null; code?: string | null };
const titleOf = (entry: Named) => entry.title ?? entry.name ?? `#${entry.id}`;

/** How a view finds what a version refers to. */
interface Source {
  linked(reference: unknown): Linked | undefined;
  picture(named: { id: number } | MediaView | null): MediaView | null;
}

const list = <T>(all: (T | undefined | null)[]): T[] => all.filter((one): one is T => one !== undefined && one !== null);

type Version<C extends Slug> = Put<C>['entry'] | Collections[C];

function articleFrom(entry: Version<'articles'>, { linked, picture }: Source): ArticleView {
  return {
    locale: entry.locale, title: titleOf(entry), summary: entry.summary, body: entry.body ?? '', publishedOn: entry.publishedOn, category: entry.category,
    tags: entry.tags, cover: picture(entry.cover), country: linked(entry.country),
  };
}

function pageFrom(entry: Version<'pages'>, { linked, picture }: Source): PageView {
  const blocks = (entry.body as Pages['body']).map((item): Block | undefined => {
    const key = item._key;
    switch (item._type) {
      case 'hero':
        return { type: 'hero', key, title: item.title, lead: item.lead, image: picture(item.image) };
      case 'text':
        return { type: 'text', key, body: item.body ?? '' };
      case 'quote':
        return { type: 'quote', key, words: item.words, by: item.by };
      case 'gallery':
        return { type: 'gallery', key, title: item.title, images: list(item.images.map(picture)) };
      case 'related':
        return { type: 'related', key, title: item.title, links: list(item.entries.map(linked)) };
      case 'action':
        return item.url && item.label ? { type: 'action', key, label: item.label, url: item.url } : undefined;
      default:
        return undefined; // a component that the site does not know yet
    }
  });
  return { locale: entry.locale, title: entry.seo?.title ?? titleOf(entry), description: entry.seo?.description ?? null, blocks: list(blocks) };
}

/** Views of the copy, for readers of a locale. References name translation groups. */
export function viewsOf(copy: Copy, locale: Locale) {
  const find = (collection: string, group: number) => copy.serving(collection as Slug, group, locale);
  const linkTo = (put: Put | undefined): Linked | undefined => put && { title: titleOf(put.entry), href: pathOf(put.collection, locale, put.entry) };
  const source: Source = {
    linked: (reference) => {
      const { collection, group } = (reference ?? {}) as { collection?: string; group?: number };
      return collection === undefined || group === undefined ? undefined : linkTo(find(collection, group));
    },
    picture: copy.picture,
  };
  return {
    linkTo,
    linked: source.linked,
    article: (put: Put<'articles'>) => articleFrom(put.entry, source),
    page: (put: Put<'pages'>) => pageFrom(put.entry, source),
    resolve: ((link) => linkTo(find(link.collection ?? '', link.entry))?.href) as Resolve,
  };
}

/** Views of what the API answers to a preview token. References are entries. */
export function previewOf(locale: Locale) {
  const source: Source = {
    linked: (reference) => {
      const entry = reference as (Named & { locale?: Locale; collection?: string; _collection?: string; category?: unknown }) | null;
      if (!entry || entry.collection !== undefined) return undefined; // deeper than the answer
      const collection: Slug = 'code' in entry ? 'countries' : 'category' in entry ? 'articles' : 'pages';
      return { title: titleOf(entry), href: pathOf(collection, locale, entry) };
    },
    picture: (named) => named as MediaView | null,
  };
  return {
    article: (entry: Articles) => articleFrom(entry, source),
    page: (entry: Pages) => pageFrom(entry, source),
    resolve: ((link) => (link.collection && link.slug ? pathOf(link.collection as Slug, locale, { id: link.entry, slug: link.slug }) : undefined)) as Resolve,
  };
}
