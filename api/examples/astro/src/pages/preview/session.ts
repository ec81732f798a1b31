import type { APIRoute } from 'astro';
import { cookieName } from '../../lib/preview.js';

/** Keeps the preview token that the dashboard gave to the page, in a cookie that only this site in this frame gets. */
export const POST: APIRoute = async ({ request, cookies }) => {
  const origin = request.headers.get('origin');
  if (origin === null || hostOf(origin) !== request.headers.get('host')) return new Response('Another site asks for a session.', { status: 403 });
  const token = await request.json().then((body) => body?.token, () => undefined);
  if (typeof token !== 'string' || !/^imv_[A-Za-z0-9_-]{20,200}$/.test(token)) return new Response('This is no preview token.', { status: 400 });
  cookies.set(cookieName, token, { path: '/', secure: true, httpOnly: true, sameSite: 'none', partitioned: true, maxAge: 15 * 60 });
  return new Response(null, { status: 204, headers: { 'Cache-Control': 'no-store' } });
};

const hostOf = (origin: string) => (URL.canParse(origin) ? new URL(origin).host : null);
