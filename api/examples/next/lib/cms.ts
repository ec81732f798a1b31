// What the pages read, with the tags under which Next keeps it.

import { ApiError, createClient } from '@imprimatur/client';
import { cacheLife, cacheTag } from 'next/cache';
import type { Posts, Schema } from '../content';
import { everything, tagOf } from './tags';

export function setting(name: string): string {
  const value = process.env[name];
  if (!value) throw new Error(`set ${name}: see README.md`);
  return value;
}

const source = () => ({ url: setting('CMS_URL'), project: setting('CMS_PROJECT'), cache: false }) as const; // Next keeps the results

/** Reads what is public. */
const client = () => createClient<Schema>({ ...source(), token: setting('CMS_TOKEN') });

/** Whose messages a preview obeys. */
export const editorOrigin = () => process.env.EDITOR_ORIGIN ?? new URL(setting('CMS_URL')).origin;

/** The newest posts. */
export async function newest() {
  'use cache';
  cacheLife('max');
  cacheTag(everything, tagOf('posts'));
  return (await client().entries('posts', { sort: 'publishedAt:desc', fields: ['title', 'slug', 'publishedAt'], limit: 30 })).data;
}

/** The post with the slug; undefined if there is none, which a new post may change. */
export async function postNamed(slug: string): Promise<Posts | undefined> {
  'use cache';
  cacheLife('max');
  const [post] = (await client().entries('posts', { where: { slug }, limit: 1 })).data;
  cacheTag(everything, post ? tagOf('posts', post.id) : tagOf('posts'));
  return post;
}

/** The version of a post that the preview token of an editor shows. Nothing of it is kept. */
export async function previewed(token: string, id: number): Promise<Posts | undefined> {
  try {
    return await createClient<Schema>({ ...source(), token }).entry('posts', id);
  } catch (error) {
    if (error instanceof ApiError && [401, 403, 404].includes(error.status)) return undefined;
    throw error;
  }
}
