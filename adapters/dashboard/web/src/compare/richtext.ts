import { plainText, type HtmlElement, type HtmlNode } from './html';
import { diffTokens, hunks, segments, similarity } from './words';

/**
 * A node of compared rich text. mark is the kind of change: "format" means that the words are the same
 * and their formatting, block element or link changed. was is the earlier URL of a changed link.
 */
export type Compared = { tag: string; attrs: Record<string, string>; children: Compared[]; mark?: Mark; was?: string } | { text: string };
export type Mark = 'ins' | 'del' | 'format';

const blockTags = new Set(
  'p h1 h2 h3 h4 h5 h6 ul ol li dl dt dd blockquote pre table caption colgroup thead tbody tfoot tr td th figure figcaption hr div section article aside details summary hgroup'.split(' '),
);
const proseTags = new Set(['p', 'h1', 'h2', 'h3', 'h4', 'h5', 'h6', 'div', 'blockquote', 'pre', '']);

/** Compares two rich texts block by block, and changed blocks word by word. */
export function diffRichText(before: HtmlNode[], after: HtmlNode[], locale?: string): Compared[] {
  return diffChildren(before, after, locale);
}

/** Converts rich text to compared nodes without marks. */
export const unmarked = (nodes: HtmlNode[]): Compared[] => nodes.map((n) => (typeof n === 'string' ? { text: n } : { ...n, children: unmarked(n.children) }));

const isBlock = (n: HtmlNode) => typeof n !== 'string' && blockTags.has(n.tag);

function diffChildren(before: HtmlNode[], after: HtmlNode[], locale?: string): Compared[] {
  if (!before.some(isBlock) && !after.some(isBlock)) return diffInline(before, after, locale);
  return diffBlocks(blocks(before), blocks(after), locale);
}

/** Returns nodes as blocks: text and inline elements between blocks become blocks without a tag. */
function blocks(nodes: HtmlNode[]): HtmlElement[] {
  const found: HtmlElement[] = [];
  for (const node of nodes) {
    if (isBlock(node)) found.push(node as HtmlElement);
    else if (found.at(-1)?.tag === '') found.at(-1)!.children.push(node);
    else if (typeof node !== 'string' || node.trim()) found.push({ tag: '', attrs: {}, children: [node] });
  }
  return found;
}

function diffBlocks(before: HtmlElement[], after: HtmlElement[], locale?: string): Compared[] {
  return hunks(before, after, (b) => JSON.stringify(b)).flatMap((h) => {
    if (h.same) return unmarked(h.after);
    return align(h.before, h.after, locale).map(([b, a]) => (b && a ? diffBlock(b, a, locale) : whole((a ?? b)!, a ? 'ins' : 'del')));
  });
}

function diffBlock(before: HtmlElement, after: HtmlElement, locale?: string): Compared {
  const children = diffChildren(before.children, after.children, locale);
  return { ...after, children, mark: before.tag === after.tag ? undefined : 'format' };
}

/** Marks a completely added or removed node. The marks enclose its texts and images. */
function whole(node: HtmlNode, mark: 'ins' | 'del'): Compared {
  if (typeof node === 'string') return { tag: '', attrs: {}, children: [{ text: node }], mark };
  if (node.children.length === 0 || !node.children.some(isBlock)) {
    return isBlock(node) && node.children.length > 0
      ? { ...node, children: [{ tag: '', attrs: {}, children: unmarked(node.children), mark }] }
      : { tag: '', attrs: {}, children: unmarked([node]), mark };
  }
  // Whitespace between blocks, such as table rows, is not content.
  return { ...node, children: blocks(node.children).map((c) => whole(c, mark)) };
}

type Pair = [HtmlElement | undefined, HtmlElement | undefined];

/** Pairs similar blocks in document order. A block without a counterpart is paired with undefined. */
function align(before: HtmlElement[], after: HtmlElement[], locale?: string): Pair[] {
  if (before.length * after.length > 10_000) return [...before.map((b): Pair => [b, undefined]), ...after.map((a): Pair => [undefined, a])];
  const words = (e: HtmlElement) => segments(plainText(e.children), locale);
  const wordsBefore = before.map(words);
  const wordsAfter = after.map(words);
  const likeness = (i: number, j: number) => {
    const [b, a] = [before[i]!, after[j]!];
    if (b.tag !== a.tag && !(proseTags.has(b.tag) && proseTags.has(a.tag))) return 0;
    const shared = similarity(wordsBefore[i]!, wordsAfter[j]!);
    // Two tables or two lists are always similar enough to be paired, so that their contents are compared.
    return b.tag === a.tag && !proseTags.has(b.tag) ? Math.max(shared, 0.31) : shared;
  };
  // best[i][j] is the greatest total similarity of pairs from before[i..] and after[j..].
  const like = before.map((_, i) => after.map((_, j) => likeness(i, j)));
  const best = Array.from({ length: before.length + 1 }, () => after.map(() => 0).concat(0));
  for (let i = before.length - 1; i >= 0; i--) {
    for (let j = after.length - 1; j >= 0; j--) {
      const both = like[i]![j]! >= 0.3 ? like[i]![j]! + best[i + 1]![j + 1]! : 0;
      best[i]![j] = Math.max(both, best[i + 1]![j]!, best[i]![j + 1]!);
    }
  }
  const pairs: Pair[] = [];
  let i = 0;
  let j = 0;
  while (i < before.length || j < after.length) {
    const both = i < before.length && j < after.length && like[i]![j]! >= 0.3 && best[i]![j] === like[i]![j]! + best[i + 1]![j + 1]!;
    if (both) pairs.push([before[i++], after[j++]]);
    else if (i < before.length && (j >= after.length || best[i]![j] === best[i + 1]![j]!)) pairs.push([before[i++], undefined]);
    else pairs.push([undefined, after[j++]]);
  }
  return pairs;
}

// Inline content is compared as a sequence of words. A word stores its formatting as runs, because
// an element may start or end inside a word.

type Format = { tag: string; attrs: Record<string, string> };
type Run = { text: string; formats: Format[]; atom?: HtmlElement };
type Word = { text: string; runs: Run[] };

function diffInline(before: HtmlNode[], after: HtmlNode[], locale?: string): Compared[] {
  return diffTokens(words(before, locale), words(after, locale), (w) => w.text).flatMap((h) => {
    if (!h.same) return [marked(h.before.flatMap((w) => w.runs), 'del'), marked(h.after.flatMap((w) => w.runs), 'ins')].filter((n) => n !== undefined);
    return formatted(h.before, h.after);
  });
}

function marked(runs: Run[], mark: Mark, was?: string): Compared | undefined {
  return runs.length === 0 ? undefined : { tag: '', attrs: {}, children: nested(runs, 0), mark, was };
}

/** Unchanged words, with marks where their formatting changed. */
function formatted(before: Word[], after: Word[]): Compared[] {
  const groups: { runs: Run[]; changed: boolean; was?: string }[] = [];
  after.forEach((word, i) => {
    const changed = JSON.stringify(joined(before[i]!.runs)) !== JSON.stringify(joined(word.runs));
    const link = address(before[i]!.runs);
    const was = changed && link !== undefined && link !== address(word.runs) ? link : undefined;
    const last = groups.at(-1);
    if (last && last.changed === changed && last.was === was) last.runs.push(...word.runs);
    else groups.push({ runs: [...word.runs], changed, was });
  });
  return groups.flatMap((g) => (g.changed ? (marked(g.runs, 'format', g.was) ?? []) : nested(g.runs, 0)));
}

const address = (runs: Run[]) => runs[0]?.formats.find((f) => f.tag === 'a')?.attrs.href;

/** Merges adjacent runs with the same formatting, so that equal words have equal runs. */
function joined(runs: Run[]): Run[] {
  const all: Run[] = [];
  for (const run of runs) {
    const last = all.at(-1);
    if (last && !last.atom && !run.atom && same(last.formats, run.formats)) last.text += run.text;
    else all.push({ ...run });
  }
  return all;
}

const same = (a: Format[], b: Format[]) => a.length === b.length && a.every((f, i) => sameFormat(f, b[i]!));
const sameFormat = (a: Format, b: Format) => a.tag === b.tag && JSON.stringify(a.attrs) === JSON.stringify(b.attrs);

function words(nodes: HtmlNode[], locale?: string): Word[] {
  const found: Word[] = [];
  let line: Run[] = [];
  const flush = () => {
    let run = 0;
    let offset = 0;
    for (const text of segments(line.map((r) => r.text).join(''), locale)) {
      const runs: Run[] = [];
      for (let left = text.length; left > 0; ) {
        const { text: whole, formats } = line[run]!;
        const part = whole.slice(offset, offset + left);
        runs.push({ text: part, formats });
        left -= part.length;
        offset += part.length;
        if (offset === whole.length) [run, offset] = [run + 1, 0];
      }
      found.push({ text, runs });
    }
    line = [];
  };
  const walk = (children: HtmlNode[], formats: Format[]) => {
    for (const node of children) {
      if (typeof node === 'string') {
        if (node) line.push({ text: node, formats });
      } else if (node.tag === 'br' || node.tag === 'img' || node.tag === 'wbr' || node.tag === 'hr') {
        flush();
        found.push({ text: `<${node.tag} ${node.attrs['data-media'] ?? node.attrs.src ?? ''} ${node.attrs.alt ?? ''}>`, runs: [{ text: '', formats, atom: node }] });
      } else walk(node.children, [...formats, { tag: node.tag, attrs: node.attrs }]);
    }
  };
  walk(nodes, []);
  flush();
  return found;
}

/** Rebuilds the elements around runs. depth is the index of the first format to apply. */
function nested(runs: Run[], depth: number): Compared[] {
  const nodes: Compared[] = [];
  for (let i = 0; i < runs.length; ) {
    const format = runs[i]!.formats[depth];
    let end = i + 1;
    while (end < runs.length && (format ? runs[end]!.formats[depth] && sameFormat(runs[end]!.formats[depth]!, format) : !runs[end]!.formats[depth])) end++;
    const group = runs.slice(i, end);
    if (format) nodes.push({ ...format, children: nested(group, depth + 1) });
    else for (const run of joined(group)) nodes.push(run.atom ? { ...run.atom, children: [] } : { text: run.text });
    i = end;
  }
  return nodes;
}
