import type { APIRoute } from 'astro';
import { readCopy } from '../../lib/copy.js';
import { gone, localeIn } from '../../lib/find.js';
import { home } from '../../lib/paths.js';
import { viewsOf } from '../../lib/views.js';
import { element, xml } from '../../lib/xml.js';

/** The newest articles as RSS. */
export const GET: APIRoute = async ({ params, site }) => {
  const copy = await readCopy();
  const locale = localeIn(copy, params);
  if (!locale) return gone();
  const { linkTo } = viewsOf(copy, locale);
  const newest = copy.list('articles', locale).sort((a, b) => b.publishedAt.localeCompare(a.publishedAt)).slice(0, 20);
  const items = newest.map((put) => {
    const { title, href } = linkTo(put)!;
    const address = new URL(href, site).href;
    return `<item>${element('title', title)}${element('link', address)}${element('guid', address)}${element('description', put.entry.summary ?? '')}${element('pubDate', new Date(put.publishedAt).toUTCString())}</item>`;
  });
  const channel = element('title', copy.project.name) + element('link', new URL(home(locale), site).href) + element('description', copy.project.name) + element('language', locale);
  return xml(`<rss version="2.0"><channel>${channel}${items.join('')}</channel></rss>`, 'application/rss+xml');
};
