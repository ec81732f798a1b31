import { createClient } from '@imprimatur/client';
import type { Schema } from '../content.js';

function setting(name: string): string {
  const value = process.env[name];
  if (!value) throw new Error(`set ${name}: see README.md`);
  return value;
}

const source = { url: setting('CMS_URL'), project: setting('CMS_PROJECT') };

/** Names what the copy of the content is a copy of. */
export const sourceName = `${source.url} ${source.project}`;

/** Whose messages a preview obeys. */
export const editorOrigin = process.env.EDITOR_ORIGIN ?? new URL(source.url).origin;

/** Reads what is public. */
export const client = createClient<Schema>({ ...source, token: setting('CMS_TOKEN') });

/** Reads what the preview token of an editor shows. Nothing of it is kept. */
export const previewClient = (token: string) => createClient<Schema>({ ...source, token, cache: false });
