import { verify, WebhookError, type Message } from '@imprimatur/client/webhooks';
import { revalidateTag } from 'next/cache';
import { setting } from '../../../lib/cms';
import { outdatedBy } from '../../../lib/tags';

/** Drops what a change of the content outdates; the next request of a page reads it again. */
export async function POST(request: Request) {
  let message: Message;
  try {
    message = await verify(await request.text(), request.headers, setting('CMS_WEBHOOK_SECRET'));
  } catch (error) {
    if (error instanceof WebhookError) return new Response(`${error.message}\n`, { status: 400 });
    throw error;
  }
  for (const tag of outdatedBy(message)) revalidateTag(tag, { expire: 0 });
  return new Response(null, { status: 204 });
}
