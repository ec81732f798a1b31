import type { Schemas } from '../api/client';
import type { VersionName } from './search';

export type Revision = Schemas['Revision'];
export type Publication = Schemas['PublishedVersion'];

/** A revision or publication in the history of an entry. */
export type Moment = { name: VersionName; at: string } & ({ revision: Revision } | { publication: Publication });

export type EntryPath = { projectId: number; collectionId: number; contentId: number };

/** The prefix of all query keys of an entry's history. */
export const historyKey = (path: EntryPath) => ['history', path.contentId] as const;

type List<T> = { items: readonly T[]; /** Whether older items exist. */ more: boolean };

/**
 * Merges the revisions and publications of an entry, newest first. The result ends where one list has
 * older items that are not loaded, so that no item is inserted in between later.
 */
export function timeline(revisions: List<Revision>, publications: List<Publication>): { moments: Moment[]; more: boolean } {
  const moments: Moment[] = [
    ...publications.items.map((publication): Moment => ({ name: `p${publication.number}`, at: publication.publishedAt, publication })),
    ...revisions.items.map((revision): Moment => ({ name: `r${revision.number}`, at: revision.updatedAt, revision })),
  ];
  // The sort is stable: a publication comes before the revision of the same millisecond.
  moments.sort((a, b) => Date.parse(b.at) - Date.parse(a.at));
  const horizon = Math.max(end(revisions, (r) => r.updatedAt), end(publications, (p) => p.publishedAt));
  return { moments: moments.filter((m) => Date.parse(m.at) >= horizon), more: revisions.more || publications.more };
}

function end<T>(list: List<T>, at: (item: T) => string) {
  if (!list.more) return -Infinity;
  const oldest = list.items.at(-1);
  return oldest ? Date.parse(at(oldest)) : Infinity;
}

/** The previous version of the same kind (revision or publication). undefined for the first. */
export function before(moments: readonly Moment[], name: VersionName): VersionName | undefined {
  const kind = name[0];
  const at = moments.findIndex((m) => m.name === name);
  return at < 0 ? undefined : moments.slice(at + 1).find((m) => m.name[0] === kind)?.name;
}

/** The number of a version: 3 for "r3". */
export const numberOf = (name: VersionName) => Number(name.slice(1));
