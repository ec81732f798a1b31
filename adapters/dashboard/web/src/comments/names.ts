import type { Person } from './queries';

/** The text as people write it: with names in the place of @[6]. */
export const withNames = (text: string, people: readonly Person[]) => text.replace(/@\[(\d{1,18})\]/g, (whole, id: string) => (people.some((p) => p.id === Number(id)) ? `@${people.find((p) => p.id === Number(id))!.name}` : whole));

/** The text as the API has it: with @[6] in the place of the names of people. A longer name goes before one that it begins with. */
export function withIds(text: string, people: readonly Person[]) {
  const byLength = [...people].sort((a, b) => b.name.length - a.name.length);
  let out = '';
  for (let at = 0; at < text.length; ) {
    const named = text[at] === '@' ? byLength.find((p) => text.startsWith(p.name, at + 1)) : undefined;
    out += named ? `@[${named.id}]` : text[at];
    at += named ? named.name.length + 1 : 1;
  }
  return out;
}

/** The name that is being written before the caret, after an @; undefined: none. */
export function writtenName(text: string, caret: number): { from: number; search: string } | undefined {
  const found = /(?:^|[\s(])@([\p{L}\p{M}'’.-]*(?: [\p{L}\p{M}'’.-]*)?)$/u.exec(text.slice(0, caret));
  return found ? { from: caret - found[1]!.length - 1, search: found[1]! } : undefined;
}
