import type { Member } from './queries';
import type { Kind } from './search';

type Filter = { kind?: Kind; path?: string; locale?: string; collection?: string };

/** The members that match, first those that are not unchanged since the user's last decision. */
export function filtered(members: readonly Member[], { kind, path, locale, collection }: Filter) {
  const matching = members.filter(
    (member) =>
      (kind === undefined || member.kind === kind) &&
      (path === undefined || member.changed.includes(path)) &&
      (locale === undefined || member.locale === locale) &&
      (collection === undefined || member.collection === collection),
  );
  return [...matching.filter((member) => !member.unchanged), ...matching.filter((member) => member.unchanged)];
}

/** How many members there are of each kind, and how many of those that are not unchanged are seen. */
export function countsOf(members: readonly Member[]) {
  const fresh = members.filter((member) => !member.unchanged);
  const of = (kind: Kind) => members.filter((member) => member.kind === kind).length;
  return { all: members.length, new: of('new'), changed: of('changed'), unpublish: of('unpublish'), fresh: fresh.length, seen: fresh.filter((member) => member.seen).length };
}

export type Counted = { value: string; count: number };

/** The paths that members change, their languages or their collections, with the number of members of each, the most frequent first. */
export function countedOf(members: readonly Member[], of: 'changed' | 'locale' | 'collection'): Counted[] {
  const counts = new Map<string, number>();
  for (const value of members.flatMap((member) => member[of])) counts.set(value, (counts.get(value) ?? 0) + 1);
  return [...counts].map(([value, count]) => ({ value, count })).sort((a, b) => b.count - a.count || a.value.localeCompare(b.value));
}

/** The neighbours of a member in a list. */
export function neighbours(members: readonly Member[], entryId: number | undefined) {
  const index = members.findIndex((member) => member.entryId === entryId);
  return { index, previous: members[index - 1], next: members[index + 1] };
}
