import { align, slots, type Item, type Slot } from './align';
import type { Effort } from './effort';
import type { HtmlElement, HtmlNode } from './html';
import { wordsOf } from './inline';

const elementsOf = (nodes: HtmlNode[]) => nodes.filter((n): n is HtmlElement => typeof n !== 'string');

/** The rows of a table, each with its cells. */
export function rowsOf(table: HtmlElement): HtmlElement[][] {
  return elementsOf(table.children).flatMap((part) => (part.tag === 'tr' ? [elementsOf(part.children)] : elementsOf(part.children).filter((row) => row.tag === 'tr').map((row) => elementsOf(row.children))));
}

const spans = (rows: HtmlElement[][]) => rows.some((cells) => cells.some(({ attrs }) => (attrs.colspan ?? '1') !== '1' || (attrs.rowspan ?? '1') !== '1'));

type Line = Item & { cells: string[][] };

/**
 * The columns of both versions of a table in the order of the later one; undefined if a cell spans several
 * columns or rows, or if no rows are alike. Columns are alike if their cells in the same rows are.
 */
export function columnsOf(before: HtmlElement, after: HtmlElement, locale: string | undefined, effort: Effort): Slot[] | undefined {
  const [was, is] = [rowsOf(before), rowsOf(after)];
  if (spans(was) || spans(is)) return undefined;
  const lines = (rows: HtmlElement[][]) =>
    rows.map((row): Line => {
      const cells = row.map((cell) => wordsOf(cell.children, locale).map((w) => w.text));
      return { cells, words: cells.flat(), key: JSON.stringify(cells) };
    });
  const [linesBefore, linesAfter] = [lines(was), lines(is)];
  const rows = align(linesBefore, linesAfter, { fits: () => true, effort });
  const same = [...rows.pairs, ...rows.moved];
  if (same.length === 0) return undefined;
  const columns = (all: Line[], side: 0 | 1) =>
    Array.from({ length: Math.max(0, ...all.map((l) => l.cells.length)) }, (_, column): Item => {
      const words = same.flatMap((pair, row) => (all[pair[side]]!.cells[column] ?? []).map((word) => `${row} ${word}`));
      return { key: JSON.stringify(words), words };
    });
  const [b, a] = [columns(linesBefore, 0), columns(linesAfter, 1)];
  const found = align(b, a, { fits: () => true, effort });
  found.pairs = withRewritten(found.pairs, found.moved, b.length, a.length);
  return slots(found, b.length, a.length);
}

/** Pairs also the columns between the same neighbours if they are equally many: their cells were rewritten. */
function withRewritten(pairs: [number, number][], moved: [number, number][], before: number, after: number) {
  const [goneBefore, goneAfter] = [new Set(moved.map((p) => p[0])), new Set(moved.map((p) => p[1]))];
  const found: [number, number][] = [];
  let [b, a] = [0, 0];
  for (const pair of [...pairs, [before, after] as [number, number]]) {
    const is = Array.from({ length: pair[0] - b }, (_, n) => b + n).filter((i) => !goneBefore.has(i));
    const js = Array.from({ length: pair[1] - a }, (_, n) => a + n).filter((j) => !goneAfter.has(j));
    if (is.length === js.length) is.forEach((i, n) => found.push([i, js[n]!]));
    if (pair[0] < before) found.push(pair);
    [b, a] = [pair[0] + 1, pair[1] + 1];
  }
  return found;
}
