import type { Schemas } from '../api/client';
import type { VersionName } from './search';

export type Revision = Schemas['Revision'];
export type Publication = Schemas['PublishedVersion'];

/** A moment in the life of an entry. */
export type Moment = { name: VersionName; at: string } & ({ revision: Revision } | { publication: Publication });

export type EntryPath = { projectId: number; collectionId: number; contentId: number };

/** The key of everything that was fetched of an entry's history. */
export const historyKey = (path: EntryPath) => ['history', path.contentId] as const;

type List<T> = { items: readonly T[]; /** Whether older ones follow. */ more: boolean };

/**
 * The revisions and publications of an entry in one line, the newest first. Where one list has
 * older items that are not loaded, the line ends, so that no item has to be put in between later.
 */
export function timeline(revisions: List<Revision>, publications: List<Publication>): { moments: Moment[]; more: boolean } {
  const moments: Moment[] = [
    ...publications.items.map((publication): Moment => ({ name: `p${publication.number}`, at: publication.publishedAt, publication })),
    ...revisions.items.map((revision): Moment => ({ name: `r${revision.number}`, at: revision.updatedAt, revision })),
  ];
  // The sort is stable: a publication stands above the revision of the same millisecond.
  moments.sort((a, b) => Date.parse(b.at) - Date.parse(a.at));
  const horizon = Math.max(end(revisions, (r) => r.updatedAt), end(publications, (p) => p.publishedAt));
  return { moments: moments.filter((m) => Date.parse(m.at) >= horizon), more: revisions.more || publications.more };
}

function end<T>(list: List<T>, at: (item: T) => string) {
  const oldest = list.items.at(-1);
  return list.more && oldest ? Date.parse(at(oldest)) : -Infinity;
}

/** What came before a version: the revision or publication below it. undefined for the first. */
export function before(moments: readonly Moment[], name: VersionName): VersionName | undefined {
  const kind = name[0];
  const at = moments.findIndex((m) => m.name === name);
  return at < 0 ? undefined : moments.slice(at + 1).find((m) => m.name[0] === kind)?.name;
}

/** The number in the name of a version. */
export const numberOf = (name: VersionName) => Number(name.slice(1));
