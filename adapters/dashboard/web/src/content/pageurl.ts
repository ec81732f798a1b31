import type { Collection, ManagedEntry } from './fields';

/** What the address of an entry's page is made of. */
export type PageOf = {
  id: number;
  /** The slug of its collection. */
  collection: string;
  locale: string;
  /** The version that the page is to show. */
  version: 'draft' | 'published';
  fields: Record<string, unknown>;
};

const placeholder = /\{([^{}]*)\}/g;

/** The names of the placeholders in the address of pages. */
export const placeholders = (template: string) => [...template.matchAll(placeholder)].map(([, name]) => name!);

/** The address of an entry's page. undefined: the Project names none, or the entry lacks a value that it has. */
export function pageUrl(template: string | null | undefined, { fields, ...system }: PageOf): string | undefined {
  if (!template) return undefined;
  let complete = true;
  const url = template.replaceAll(placeholder, (_, name: string) => {
    const value = Object.hasOwn(system, name) ? String(system[name as keyof typeof system]) : fields[name];
    // As a part of a path, dots lead to the folder above, however they are written.
    if (typeof value === 'string' && !/^\.{0,2}$/.test(value)) return encodeURIComponent(value);
    complete = false;
    return '';
  });
  return complete ? url : undefined;
}

/** The address of the page that shows the newest version of an entry: its draft, unless that is published. */
export const entryPage = (template: string | null, collection: Collection, { id, locale, fields, state, hasUnpublishedChanges }: ManagedEntry) =>
  pageUrl(template, { id, collection: collection.slug, locale, fields, version: state === 'published' && !hasUnpublishedChanges ? 'published' : 'draft' });
