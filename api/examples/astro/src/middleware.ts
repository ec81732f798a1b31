// Keeps the pages that were drawn until the content changes: the next request draws a page again.

import { defineMiddleware } from 'astro:middleware';
import { createHash } from 'node:crypto';
import { version } from './lib/copy.js';

const most = 5_000; // pages
const pages = new Map<string, { body: Uint8Array<ArrayBuffer>; headers: Headers }>();
let of = version;

export const onRequest = defineMiddleware(async ({ request, url }, next) => {
  if (request.method !== 'GET' || !import.meta.env.PROD) return next();
  if (of !== version) {
    pages.clear();
    of = version;
  }
  const page = pages.get(url.pathname) ?? (await draw());
  if (page instanceof Response) return page;
  const isKnown = request.headers.get('if-none-match') === page.headers.get('etag');
  return new Response(isKnown ? null : page.body, { status: isKnown ? 304 : 200, headers: page.headers });

  // A page that says nothing of caches depends on its path and the content alone.
  async function draw() {
    const response = await next();
    if (response.status !== 200 || response.headers.has('cache-control')) return response;
    const drawn = version;
    const body = new Uint8Array(await response.arrayBuffer());
    const headers = new Headers(response.headers);
    headers.set('Cache-Control', 'no-cache');
    headers.set('ETag', `"${createHash('sha256').update(body).digest('base64url').slice(0, 22)}"`);
    const page = { body, headers };
    if (drawn === of && of === version && pages.size < most) pages.set(url.pathname, page);
    return page;
  }
});
