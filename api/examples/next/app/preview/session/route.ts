import { cookies, draftMode } from 'next/headers';
import { cookieName } from '../../../lib/preview';

const bypass = '__prerender_bypass'; // the cookie of Next's draft mode

/** Keeps the preview token that the dashboard gave to the page, in a cookie that only this site in this frame gets. */
export async function POST(request: Request) {
  const origin = request.headers.get('origin');
  if (origin === null || !URL.canParse(origin) || new URL(origin).host !== request.headers.get('host')) return new Response('Another site asks for a session.', { status: 403 });
  const token: unknown = await request.json().then((body) => body?.token, () => undefined);
  if (typeof token !== 'string' || !/^imv_[A-Za-z0-9_-]{20,200}$/.test(token)) return new Response('This is no preview token.', { status: 400 });
  const kept = { path: '/', secure: true, httpOnly: true, sameSite: 'none', partitioned: true } as const;
  const jar = await cookies();
  jar.set(cookieName, token, { ...kept, maxAge: 15 * 60 });
  (await draftMode()).enable();
  jar.set(bypass, jar.get(bypass)?.value ?? '', kept); // browsers keep it in a frame only with "Partitioned"
  return new Response(null, { status: 204, headers: { 'Cache-Control': 'no-store' } });
}
