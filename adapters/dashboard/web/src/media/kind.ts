import type { Schemas } from '../api/client';

export type MediaItem = Schemas['MediaItem'];

/** The kinds of files that the library can filter by. */
export const mediaKinds = ['image', 'video', 'audio', 'document'] as const;
export type MediaKind = (typeof mediaKinds)[number];

/** The kind of a file, as in the API: any file but an image, video or audio file is a document. */
export function kindOf(mimeType: string): MediaKind {
  const group = mimeType.slice(0, mimeType.indexOf('/'));
  return mediaKinds.find((kind) => kind === group) ?? 'document';
}

/** The short name of a file type: "JPEG", "PDF", "SVG". */
export function typeName(item: MediaItem) {
  const subtype = item.mimeType.slice(item.mimeType.indexOf('/') + 1).replace(/\+.*$/, '').replace(/^x-/, '');
  if (/^[a-z0-9]{2,5}$/.test(subtype)) return subtype === 'plain' ? 'TXT' : subtype.toUpperCase();
  return item.fileName.slice(item.fileName.lastIndexOf('.') + 1).toUpperCase();
}

/** The display name of an item: its caption, or its file name. */
export const nameOf = (item: MediaItem) => item.caption || item.fileName;
