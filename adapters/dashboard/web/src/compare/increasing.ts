/**
 * The subsequence of pairs in which both numbers increase and whose weights, which are positive, have the
 * greatest sum. The pairs are ordered by the first number on return. No two pairs share a number.
 */
export function increasing(pairs: readonly (readonly [number, number])[], weight: (pair: readonly [number, number]) => number): [number, number][] {
  const sorted = [...pairs].sort((p, q) => p[0] - q[0]);
  const ranks = new Map(sorted.map((p) => p[1]).sort((a, b) => a - b).map((second, i) => [second, i + 1]));
  // A Fenwick tree over the second number: the best chain that ends at or below it.
  const tree: (Chain | undefined)[] = Array.from({ length: sorted.length + 1 });
  let best: Chain | undefined;
  for (const pair of sorted) {
    const rank = ranks.get(pair[1])!;
    let before: Chain | undefined;
    for (let i = rank - 1; i > 0; i -= i & -i) before = heavier(before, tree[i]);
    const chain: Chain = { sum: (before?.sum ?? 0) + weight(pair), pair, before };
    best = heavier(best, chain);
    for (let i = rank; i <= sorted.length; i += i & -i) tree[i] = heavier(tree[i], chain);
  }
  const found: [number, number][] = [];
  for (; best; best = best.before) found.push([...best.pair]);
  return found.reverse();
}

type Chain = { sum: number; pair: readonly [number, number]; before?: Chain };

const heavier = (a: Chain | undefined, b: Chain | undefined) => (!a || (b && b.sum > a.sum) ? b : a);
