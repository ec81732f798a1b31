// A copy of the project's public content, brought up to date with what has changed, and nothing else.

import { ApiError } from '@imprimatur/client';
import type { Change, Schema } from '../content.js';
import { client, sourceName } from './cms.js';

type Slug = keyof Schema['collections'];

/** Where the copy is: the store of a build, or the memory of the server. */
export interface Target {
  put(key: string, data: Record<string, unknown>): void;
  delete(key: string): void;
  keys(): string[];
  /** Where changes go on, and what it is a copy of. */
  place: Place | undefined;
}

export interface Place {
  source: string;
  cursor: string;
}

const entryKey = (collection: string, id: number) => `${collection}/${id}`;
const mediaKey = (id: number) => `media/${id}`;

/** Applies what has changed, and returns how many changes that were. */
export async function follow(target: Target): Promise<number> {
  if (target.place?.source !== sourceName) clear(target);
  let applied: number;
  try {
    applied = await apply(target);
  } catch (error) {
    // The cursor is too old, or older than a restore of the service: everything is read again.
    if (!(error instanceof ApiError && error.status === 410)) throw error;
    clear(target);
    applied = await apply(target);
  }
  target.put('project', { kind: 'project', ...(await client.project()) });
  return applied;
}

function clear(target: Target) {
  for (const key of target.keys()) target.delete(key);
  target.place = undefined;
}

async function apply(target: Target): Promise<number> {
  let applied = 0;
  for (;;) {
    const since = target.place?.cursor;
    let again = false;
    for await (const page of client.changes(since ? { since, limit: 500 } : { limit: 500 })) {
      for (const change of page.data) {
        if (change.op === 'reset' && change.collection === undefined) {
          clear(target);
          again = true;
          break;
        }
        await applyOne(target, change);
        applied++;
      }
      if (again) break;
      target.place = { source: sourceName, cursor: page.meta.next };
    }
    if (!again) return applied;
  }
}

async function applyOne(target: Target, change: Change) {
  switch (change.op) {
    case 'put':
      return target.put(entryKey(change.collection, change.id), { kind: 'entry', ...change });
    case 'delete':
      return target.delete(entryKey(change.collection, change.id));
    case 'media':
      return target.put(mediaKey(change.media.id), { kind: 'media', ...change.media });
    case 'mediaDeleted':
      return target.delete(mediaKey(change.id));
    case 'reset':
      return reread(target, change.collection as Slug);
  }
}

/** Reads all entries of a collection again, after its definition changed. */
async function reread(target: Target, collection: Slug) {
  for (const key of target.keys()) if (key.startsWith(`${collection}/`)) target.delete(key);
  try {
    for await (const page of client.changes({ collection, limit: 500 })) {
      for (const change of page.data) if (change.op !== 'reset') await applyOne(target, change);
    }
  } catch (error) {
    if (!(error instanceof ApiError && error.status === 400)) throw error; // the collection was deleted
  }
}
