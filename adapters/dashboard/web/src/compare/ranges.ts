import type { Effort } from './effort';
import { increasing } from './increasing';

/** The lengths of equal or of changed parts of two sequences. */
export type Range = { same: boolean; before: number; after: number };

type Numbers = readonly number[];

const changed = (before: number, after: number): Range => ({ same: false, before, after });
const equal = (length: number): Range => ({ same: true, before: length, after: length });

/** Compares two sequences of numbers, with as few changes as the effort allows. Ranges can be empty. */
export function ranges(before: Numbers, after: Numbers, effort: Effort): Range[] {
  const shorter = Math.min(before.length, after.length);
  let start = 0;
  while (start < shorter && before[start] === after[start]) start++;
  let end = 0;
  while (end < shorter - start && before.at(-1 - end) === after.at(-1 - end)) end++;
  effort.spend(before.length + after.length);
  return [equal(start), ...middle(before.slice(start, before.length - end), after.slice(start, after.length - end), effort), equal(end)];
}

/** Compares sequences that differ at both ends. */
function middle(before: Numbers, after: Numbers, effort: Effort): Range[] {
  if (before.length === 0 || after.length === 0 || effort.left === 0) return [changed(before.length, after.length)];
  return shortest(before, after, effort) ?? atUnique(before, after, effort);
}

const longest = 1_000; // edits

/**
 * The shortest edit script (E. W. Myers, An O(ND) Difference Algorithm, 1986); undefined if it is long. Its
 * search takes about half the square of its length in steps, and keeps as many numbers.
 */
function shortest(before: Numbers, after: Numbers, effort: Effort): Range[] | undefined {
  const most = Math.min(before.length + after.length, longest, Math.floor(Math.sqrt(effort.left)));
  // The furthest positions in before that d edits reach, on the diagonals -d, -d + 2 … d, from d = 0 on.
  let furthest = new Int32Array(256);
  for (let d = 0; d <= most; d++) {
    const row = rowOf(d);
    if (row + d + 1 > furthest.length) {
      const larger = new Int32Array(4 * furthest.length);
      larger.set(furthest);
      furthest = larger;
    }
    effort.spend(d + 1);
    for (let n = 0; n <= d; n++) {
      const k = 2 * n - d;
      let x = d === 0 ? 0 : inserts(furthest, d, n) ? furthest[rowOf(d - 1) + n]! : furthest[rowOf(d - 1) + n - 1]! + 1;
      while (x < before.length && x - k < after.length && before[x] === after[x - k]) x++;
      furthest[row + n] = x;
      if (x >= before.length && x - k >= after.length) return scriptOf(furthest, d, before.length, after.length);
    }
  }
  return undefined;
}

const rowOf = (d: number) => (d * (d + 1)) / 2;

/** Whether the last of d edits on the way to the n-th diagonal is an insertion. */
const inserts = (furthest: Int32Array, d: number, n: number) => n === 0 || (n < d && furthest[rowOf(d - 1) + n - 1]! < furthest[rowOf(d - 1) + n]!);

function scriptOf(furthest: Int32Array, edits: number, before: number, after: number): Range[] {
  const found: Range[] = [];
  let [x, y] = [before, after];
  for (let d = edits; d > 0; d--) {
    const n = (x - y + d) / 2;
    const inserted = inserts(furthest, d, n);
    const from = furthest[rowOf(d - 1) + (inserted ? n : n - 1)]!;
    found.push(equal(x - from - (inserted ? 0 : 1)), inserted ? changed(0, 1) : changed(1, 0));
    [x, y] = [from, from - (x - y) + (inserted ? -1 : 1)];
  }
  found.push(equal(x));
  return found.reverse();
}

/** Splits long sequences at the items that both have once, and compares what is between them. */
function atUnique(before: Numbers, after: Numbers, effort: Effort): Range[] {
  const places = (items: Numbers) => {
    const found = new Map<number, number>();
    items.forEach((item, i) => found.set(item, found.has(item) ? -1 : i));
    return found;
  };
  const there = places(after);
  const once: [number, number][] = [];
  for (const [item, i] of places(before)) if (i >= 0 && (there.get(item) ?? -1) >= 0) once.push([i, there.get(item)!]);
  const anchors = increasing(once, () => 1);
  if (anchors.length === 0) return [changed(before.length, after.length)];
  const found: Range[] = [];
  let [b, a] = [0, 0];
  for (const [i, j] of [...anchors, [before.length, after.length] as const]) {
    for (const range of ranges(before.slice(b, i), after.slice(a, j), effort)) found.push(range);
    if (i < before.length) found.push(equal(1));
    [b, a] = [i + 1, j + 1];
  }
  return found;
}
