import type { Member } from './queries';
import type { Kind } from './search';

type Filter = { kind?: Kind; path?: string };

/** The members that match, first those that are not unchanged since the user's last decision. */
export function filtered(members: readonly Member[], { kind, path }: Filter) {
  const matching = members.filter((member) => (kind === undefined || member.kind === kind) && (path === undefined || member.changed.includes(path)));
  return [...matching.filter((member) => !member.unchanged), ...matching.filter((member) => member.unchanged)];
}

/** How many members there are of each kind, and how many of those that are not unchanged are seen. */
export function countsOf(members: readonly Member[]) {
  const fresh = members.filter((member) => !member.unchanged);
  const of = (kind: Kind) => members.filter((member) => member.kind === kind).length;
  return { all: members.length, new: of('new'), changed: of('changed'), unpublish: of('unpublish'), fresh: fresh.length, seen: fresh.filter((member) => member.seen).length };
}

/** The paths that members change, with the number of members of each, the most frequent first. */
export function pathsOf(members: readonly Member[]) {
  const counts = new Map<string, number>();
  for (const path of members.flatMap(({ changed }) => changed)) counts.set(path, (counts.get(path) ?? 0) + 1);
  return [...counts].map(([path, count]) => ({ path, count })).sort((a, b) => b.count - a.count || a.path.localeCompare(b.path));
}

/** The neighbours of a member in a list. */
export function neighbours(members: readonly Member[], entryId: number | undefined) {
  const index = members.findIndex((member) => member.entryId === entryId);
  return { index, previous: members[index - 1], next: members[index + 1] };
}
