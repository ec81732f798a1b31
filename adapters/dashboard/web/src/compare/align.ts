import type { Effort } from './effort';
import { increasing } from './increasing';
import { hunks, isWord, similarity } from './words';

/** A part of a text that is aligned with a part of another version of the text. */
export type Item = {
  /** Equal items have equal keys. */
  key: string;
  words: readonly string[];
};

type Pair = [before: number, after: number];

export type Alignment = {
  /** The indexes of items in both versions, in order. */
  pairs: Pair[];
  /** The indexes of items that were moved past others. */
  moved: Pair[];
};

export type Rules<T> = {
  /** Whether two items may be versions of each other. */
  fits(before: T, after: T): boolean;
  /** The least similarity of two items between the same neighbours. The default is 0.3. */
  floor?(before: T, after: T): number;
  effort: Effort;
};

/**
 * Aligns the items of two versions: first equal ones, then similar ones, wherever they are, then those
 * between the same neighbours. Of items in another order, as little text as possible counts as moved.
 */
export function align<T extends Item>(before: readonly T[], after: readonly T[], rules: Rules<T>): Alignment {
  const { effort } = rules;
  const shorter = Math.min(before.length, after.length);
  let start = 0;
  while (start < shorter && before[start]!.key === after[start]!.key) start++;
  let end = 0;
  while (end < shorter - start && before.at(-1 - end)!.key === after.at(-1 - end)!.key) end++;
  const ends: Pair[] = [];
  for (let i = 0; i < start; i++) ends.push([i, i]);
  for (let i = end; i > 0; i--) ends.push([before.length - i, after.length - i]);
  effort.spend(before.length + after.length);

  const inner = equals(before, after, start, end);
  const usedBefore = new Set([...ends, ...inner].map((p) => p[0]));
  const usedAfter = new Set([...ends, ...inner].map((p) => p[1]));
  const free = (items: readonly T[], used: Set<number>) => [...items.keys()].filter((i) => !used.has(i));
  inner.push(...similar(before, after, free(before, usedBefore), free(after, usedAfter), rules));

  const kept = increasing(inner, ([i]) => 1 + before[i]!.words.length);
  const inPlace = [...ends, ...kept].sort((p, q) => p[0] - q[0]);
  const keptBefore = new Set(kept.map((p) => p[0]));
  const moved = inner.filter(([i, j]) => !keptBefore.has(i) && canMove(before[i]!, after[j]!));
  const movedBefore = new Set(moved.map((p) => p[0]));
  const movedAfter = new Set(moved.map((p) => p[1]));

  const pairs: Pair[] = [];
  let [b, a] = [0, 0];
  for (const [i, j] of [...inPlace, [before.length, after.length] as Pair]) {
    const between = (from: number, to: number, gone: Set<number>) => Array.from({ length: to - from }, (_, n) => from + n).filter((n) => !gone.has(n));
    pairs.push(...neighbours(before, after, between(b, i, movedBefore), between(a, j, movedAfter), rules));
    if (i < before.length) pairs.push([i, j]);
    [b, a] = [i + 1, j + 1];
  }
  return { pairs, moved };
}

/** Pairs equal items that both versions have equally often. */
function equals(before: readonly Item[], after: readonly Item[], start: number, end: number): Pair[] {
  const places = (items: readonly Item[]) => {
    const found = new Map<string, number[]>();
    for (let i = start; i < items.length - end; i++) {
      const known = found.get(items[i]!.key);
      if (known) known.push(i);
      else found.set(items[i]!.key, [i]);
    }
    return found;
  };
  const there = places(after);
  return [...places(before)].flatMap(([key, is]) => {
    const js = there.get(key) ?? [];
    return is.length === js.length ? is.map((i, n): Pair => [i, js[n]!]) : [];
  });
}

const mostPostings = 16; // a word in more items says little
const mostWords = 24;
const mostCandidates = 4;

/** Pairs the most similar items, found by the rare words that they share. */
function similar<T extends Item>(before: readonly T[], after: readonly T[], is: number[], js: number[], { fits, effort }: Rules<T>): Pair[] {
  const postings = new Map<string, number[]>();
  for (const j of js) {
    for (const word of new Set(after[j]!.words)) {
      if (!isWord(word)) continue;
      const found = postings.get(word);
      if (!found) postings.set(word, [j]);
      else if (found.length <= mostPostings) found.push(j);
    }
    effort.spend(after[j]!.words.length);
  }
  const scored: { pair: Pair; score: number }[] = [];
  for (const i of is) {
    const one = before[i]!;
    const rare = [...new Set(one.words)].map((w) => postings.get(w) ?? []).filter((p) => p.length > 0 && p.length <= mostPostings);
    const shared = new Map<number, number>();
    for (const found of rare.sort((p, q) => p.length - q.length).slice(0, mostWords)) for (const j of found) shared.set(j, (shared.get(j) ?? 0) + 1);
    const likely = [...shared].sort((p, q) => q[1] - p[1]).slice(0, mostCandidates);
    effort.spend(one.words.length);
    for (const [j] of likely) {
      const other = after[j]!;
      const [short, long] = [one.words.length, other.words.length].sort((p, q) => p - q) as [number, number];
      if (long > 8 * short || !fits(one, other)) continue;
      effort.spend(short + long);
      const score = similarity(one.words, other.words);
      if (score >= 0.5) scored.push({ pair: [i, j], score });
    }
  }
  scored.sort((p, q) => q.score - p.score || Math.abs(p.pair[0] - p.pair[1]) - Math.abs(q.pair[0] - q.pair[1]));
  const [takenBefore, takenAfter] = [new Set<number>(), new Set<number>()];
  return scored.flatMap(({ pair: [i, j] }): Pair[] => {
    if (takenBefore.has(i) || takenAfter.has(j)) return [];
    takenBefore.add(i);
    takenAfter.add(j);
    return [[i, j]];
  });
}

/** Whether two items with other neighbours are one item that was moved: short texts that differ are not. */
function canMove(before: Item, after: Item) {
  const words = before.words.filter(isWord).length;
  return before.key === after.key ? words > 0 : words >= 4;
}

const mostCells = 2_500;

/** Pairs the items between the same neighbours, in order: equal ones, and then the most similar ones. */
function neighbours<T extends Item>(before: readonly T[], after: readonly T[], is: number[], js: number[], rules: Rules<T>): Pair[] {
  if (is.length === 0 || js.length === 0) return [];
  let [b, a] = [0, 0];
  return hunks(
    is.map((i) => before[i]!),
    js.map((j) => after[j]!),
    (item) => item.key,
    rules.effort,
  ).flatMap((h): Pair[] => {
    const [bs, as] = [is.slice(b, (b += h.before.length)), js.slice(a, (a += h.after.length))];
    if (h.same) return bs.map((i, n): Pair => [i, as[n]!]);
    const like = (i: number, j: number) => {
      if (!rules.fits(before[i]!, after[j]!)) return 0;
      rules.effort.spend(before[i]!.words.length + after[j]!.words.length);
      return Math.max(similarity(before[i]!.words, after[j]!.words), rules.floor?.(before[i]!, after[j]!) ?? 0);
    };
    return bs.length * as.length <= mostCells ? inOrder(bs, as, like) : [];
  });
}

/** The pairs in order with the greatest total similarity; each has a similarity of at least 0.3. */
function inOrder(is: number[], js: number[], likeness: (i: number, j: number) => number): Pair[] {
  const like = is.map((i) => js.map((j) => likeness(i, j)));
  // best[i][j] is the greatest total of is[i..] and js[j..].
  const best = Array.from({ length: is.length + 1 }, () => js.map(() => 0).concat(0));
  const taken = (i: number, j: number) => (like[i]![j]! >= 0.3 ? like[i]![j]! + best[i + 1]![j + 1]! : 0);
  for (let i = is.length - 1; i >= 0; i--) for (let j = js.length - 1; j >= 0; j--) best[i]![j] = Math.max(taken(i, j), best[i + 1]![j]!, best[i]![j + 1]!);
  const pairs: Pair[] = [];
  for (let [i, j] = [0, 0]; i < is.length && j < js.length; ) {
    if (like[i]![j]! >= 0.3 && best[i]![j] === taken(i, j)) pairs.push([is[i++]!, js[j++]!]);
    else if (best[i]![j] === best[i + 1]![j]!) i++;
    else j++;
  }
  return pairs;
}

/** An item of one or both versions, in the order in which both are shown together. */
export type Slot = {
  before?: number;
  after?: number;
  /** A moved item has a slot at its present place, with both indexes, and one at its earlier place. */
  move?: { here: boolean; up: boolean };
};

/** All items of two versions in the order of the later one. Removed items stand where they were. */
export function slots({ pairs, moved }: Alignment, before: number, after: number): Slot[] {
  const movedBefore = new Map(moved);
  const movedAfter = new Map(moved.map(([i, j]) => [j, i]));
  // The number of items in place before each item.
  const ranks = (side: 0 | 1, length: number) => {
    let n = 0;
    return Array.from({ length }, (_, at) => (pairs[n]?.[side] === at ? n++ : n));
  };
  const [ranksBefore, ranksAfter] = [ranks(0, before), ranks(1, after)];
  const ups = new Map(moved.map(([i, j]) => [i, ranksBefore[i]! > ranksAfter[j]!]));
  const found: Slot[] = [];
  let [i, j] = [0, 0];
  for (const [b, a] of [...pairs, [before, after] as const]) {
    for (; i < b; i++) found.push(movedBefore.has(i) ? { before: i, after: movedBefore.get(i), move: { here: false, up: ups.get(i)! } } : { before: i });
    for (; j < a; j++) {
      const from = movedAfter.get(j);
      found.push(from === undefined ? { after: j } : { before: from, after: j, move: { here: true, up: ups.get(from)! } });
    }
    if (b < before) found.push({ before: b, after: a });
    [i, j] = [b + 1, a + 1];
  }
  return found;
}
