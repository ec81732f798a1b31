import { itemsOf, type Item } from './values';

// A place names a value by the keys of the items around it: "body[k1].links[k9].label". It stays when
// items move. The API locates faults by indexes: "fields.body[3].links[0].label".

/** The place of an item of a field at a place. An item that is not of a list has no key. */
export const itemPlace = (field: string, key: string | undefined) => (key === undefined ? field : `${field}[${key}]`);

/** A fault with its place. */
export type Placed = { place: string; message: string };

/** A location of the API as a place, and the index of the value at its end, as in "fields.body[0].tags[2]". */
export function placeOf(location: string, valueOf: (name: string) => unknown): { place: string; index?: number } | undefined {
  const steps = [...location.matchAll(/([^.[\]]+)|\[(\d+)\]/g)].slice(1);
  const name = steps[0]?.[1];
  if (!location.startsWith('fields.') || name === undefined) return undefined;
  let [place, value]: [string, unknown] = [name, valueOf(name)];
  for (const [, member, index] of steps.slice(1)) {
    if (index !== undefined) {
      const item: Item | undefined = itemsOf(value)[Number(index)];
      if (!isKeyed(item)) return { place, index: Number(index) };
      [place, value] = [itemPlace(place, item._key), item];
    } else {
      if (member!.startsWith('_')) return { place }; // the type or the key of an item
      const item: Item | undefined = Array.isArray(value) ? undefined : (itemsOf(value)[0] ?? undefined);
      [place, value] = [`${place}.${member}`, item?.[member!]];
    }
  }
  return { place };
}

const isKeyed = (item: Item | undefined): item is Item & { _key: string } => typeof item === 'object' && item !== null && typeof item._key === 'string';

/** The faults by place. A fault of one of several values begins with its number. */
export function faultsByPlace(faults: readonly { location: string; message: string }[], valueOf: (name: string) => unknown): ReadonlyMap<string, string> {
  const found = new Map<string, string>();
  for (const { location, message } of faults) {
    const at = placeOf(location, valueOf);
    if (!at) continue;
    const line = at.index === undefined ? message : `${at.index + 1}: ${message}`;
    found.set(at.place, found.has(at.place) ? `${found.get(at.place)}; ${line}` : line);
  }
  return found;
}

/** How many of the places with faults are inside of a place, or are that place. */
export function countInside(faults: ReadonlyMap<string, unknown>, place: string) {
  let n = 0;
  for (const one of faults.keys()) if (isInside(one, place)) n++;
  return n;
}

export const isInside = (place: string, outer: string) => place === outer || (place.startsWith(outer) && (place[outer.length] === '.' || place[outer.length] === '['));

/** The places of the items around a place, the outermost first, with that place if it is one of an item. */
export function itemsAround(place: string): string[] {
  return [...place.matchAll(/[.[]/g)].map(({ index }) => place.slice(0, index)).concat(place).flatMap((prefix, i, all) => (prefix.endsWith(']') || (all[i + 1] !== undefined && place[prefix.length] === '.') ? [prefix] : []));
}
