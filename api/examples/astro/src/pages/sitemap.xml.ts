import type { APIRoute } from 'astro';
import { readCopy, type Put, type Slug } from '../lib/copy.js';
import { alternatesOf, home, pathOf } from '../lib/paths.js';
import { attribute, element, xml } from '../lib/xml.js';

const collections: Slug[] = ['articles', 'pages', 'countries'];

/** Every page in the locale in which it is written, with its translations. Pages that fall back are left out. */
export const GET: APIRoute = async ({ site }) => {
  const copy = await readCopy();
  const absolute = (path: string) => new URL(path, site).href;
  const url = (path: string, others: { locale: string; href: string }[], changed?: string) =>
    `<url>${element('loc', absolute(path))}${changed ? element('lastmod', changed) : ''}${others
      .map(({ locale, href }) => `<xhtml:link rel="alternate" ${attribute('hreflang', locale)} ${attribute('href', absolute(href))}/>`).join('')}</url>`;
  const homes = copy.project.locales.map((locale) => ({ locale, href: home(locale) }));
  const written = copy.project.locales.flatMap((locale) => collections.flatMap((slug) => copy.list(slug, locale) as Put[]).filter((put) => put.locale === locale));
  const urls = [
    ...homes.map(({ href }) => url(href, homes)),
    ...written.map((put) => url(pathOf(put.collection, put.locale, put.entry), alternatesOf(copy, put), put.publishedAt)),
  ];
  return xml(`<urlset xmlns="http://www.sitemaps.org/schemas/sitemap/0.9" xmlns:xhtml="http://www.w3.org/1999/xhtml">${urls.join('')}</urlset>`);
};
