/**
 * A longest sequence of items whose earlier places increase: the items that did not move. Of several such
 * sequences, it is the one that the API chooses.
 */
export function stayed<T>(items: readonly T[], place: (item: T) => number): T[] {
  const ends: T[] = []; // ends[n] ends the best sequence of n + 1 items
  const previous = new Map<T, T | undefined>();
  for (const item of items) {
    const at = ends.findIndex((end) => place(end) > place(item));
    const n = at < 0 ? ends.length : at;
    previous.set(item, ends[n - 1]);
    ends[n] = item;
  }
  const found: T[] = [];
  for (let item = ends.at(-1); item !== undefined; item = previous.get(item)) found.unshift(item);
  return found;
}
