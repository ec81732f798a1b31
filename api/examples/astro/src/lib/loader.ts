// A copy of the project's public content. A build reads what has changed since the build before, and nothing else.

import { ApiError } from '@imprimatur/client';
import type { Loader, LoaderContext } from 'astro/loaders';
import type { Change, Schema } from '../content.js';
import { client, sourceName } from './cms.js';

type Slug = keyof Schema['collections'];

const entryKey = (collection: string, id: number) => `${collection}/${id}`;
const mediaKey = (id: number) => `media/${id}`;

export const changes: Loader = {
  name: 'imprimatur-changes',
  async load(context) {
    const { meta, store, logger } = context;
    if (meta.get('source') !== sourceName) start(context);
    let applied: number;
    try {
      applied = await follow(context);
    } catch (error) {
      // The cursor is too old, or older than a restore of the service: everything is read again.
      if (!(error instanceof ApiError && error.status === 410)) throw error;
      start(context);
      applied = await follow(context);
    }
    const project = await client.project();
    await put(context, 'project', { kind: 'project', ...project });
    logger.info(`${applied} changes, ${store.keys().length - 1} entries and files`);
  },
};

function start({ meta, store }: LoaderContext) {
  store.clear();
  meta.delete('cursor');
  meta.set('source', sourceName);
}

/** Applies what has changed since the stored cursor, and returns how many changes there were. */
async function follow(context: LoaderContext): Promise<number> {
  const { meta } = context;
  let applied = 0;
  for (;;) {
    const since = meta.get('cursor');
    let again = false;
    for await (const page of client.changes(since ? { since, limit: 500 } : { limit: 500 })) {
      for (const change of page.data) {
        if (change.op === 'reset' && change.collection === undefined) {
          start(context);
          again = true;
          break;
        }
        await apply(context, change);
        applied++;
      }
      if (again) break;
      meta.set('cursor', page.meta.next);
    }
    if (!again) return applied;
  }
}

async function apply(context: LoaderContext, change: Change) {
  const { store } = context;
  switch (change.op) {
    case 'put':
      return put(context, entryKey(change.collection, change.id), { kind: 'entry', ...change });
    case 'delete':
      return store.delete(entryKey(change.collection, change.id));
    case 'media':
      return put(context, mediaKey(change.media.id), { kind: 'media', ...change.media });
    case 'mediaDeleted':
      return store.delete(mediaKey(change.id));
    case 'reset':
      return reread(context, change.collection as Slug);
  }
}

/** Reads all entries of a collection again, after its definition changed. */
async function reread(context: LoaderContext, collection: Slug) {
  const { store } = context;
  for (const key of store.keys()) if (key.startsWith(`${collection}/`)) store.delete(key);
  try {
    for await (const page of client.changes({ collection, limit: 500 })) {
      for (const change of page.data) if (change.op !== 'reset') await apply(context, change);
    }
  } catch (error) {
    if (!(error instanceof ApiError && error.status === 400)) throw error; // the collection was deleted
  }
}

async function put({ store, generateDigest }: LoaderContext, id: string, data: Record<string, unknown>) {
  store.set({ id, data, digest: generateDigest(data) });
}
