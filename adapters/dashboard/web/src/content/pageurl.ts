import type { Collection, ManagedEntry } from './fields';

/** The values for the placeholders of a page URL. */
export type PageOf = {
  id: number;
  /** The slug of its collection. */
  collection: string;
  locale: string;
  /** The version that the page shows. */
  version: 'draft' | 'published';
  fields: Record<string, unknown>;
};

const placeholder = /\{([^{}]*)\}/g;

/** The names of the placeholders in a URL template. */
export const placeholders = (template: string) => [...template.matchAll(placeholder)].map(([, name]) => name!);

/** The URL of an entry's page. undefined: the Project has no template, or the entry has no value for a placeholder. */
export function pageUrl(template: string | null | undefined, { fields, ...system }: PageOf): string | undefined {
  if (!template) return undefined;
  let complete = true;
  const url = template.replaceAll(placeholder, (_, name: string) => {
    const value = Object.hasOwn(system, name) ? String(system[name as keyof typeof system]) : fields[name];
    // The path segments "." and ".." change the path, even if they are percent-encoded.
    if (typeof value === 'string' && !/^\.{0,2}$/.test(value)) return encodeURIComponent(value);
    complete = false;
    return '';
  });
  return complete ? url : undefined;
}

/** The page URL for the newest version of an entry: the draft, unless it is published without later changes. */
export const entryPage = (template: string | null, collection: Collection, { id, locale, fields, state, hasUnpublishedChanges }: ManagedEntry) =>
  pageUrl(template, { id, collection: collection.slug, locale, fields, version: state === 'published' && !hasUnpublishedChanges ? 'published' : 'draft' });
