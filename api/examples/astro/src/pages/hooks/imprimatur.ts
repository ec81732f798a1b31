import { verify, WebhookError } from '@imprimatur/client/webhooks';
import type { APIRoute } from 'astro';
import { update } from '../../lib/copy.js';

const maxMessage = 1 << 20; // bytes

/** Reads what has changed, when the webhook says so. A response of 500 has the message sent again. */
export const POST: APIRoute = async ({ request }) => {
  const secret = process.env['CMS_WEBHOOK_SECRET'];
  if (!secret) return new Response('Set CMS_WEBHOOK_SECRET.\n', { status: 404 });
  if (!(Number(request.headers.get('content-length') ?? Infinity) <= maxMessage)) return new Response('The message is too long.\n', { status: 413 });
  try {
    await verify(await request.text(), request.headers, secret);
  } catch (error) {
    if (error instanceof WebhookError) return new Response(`${error.message}\n`, { status: 400 });
    throw error;
  }
  await update();
  return new Response(null, { status: 204 });
};
