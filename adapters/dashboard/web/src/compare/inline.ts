import type { Compared, FormatNote } from './compared';
import type { Effort } from './effort';
import type { HtmlElement, HtmlNode } from './html';
import { diffTokens, segments } from './words';

// Inline content is compared as a sequence of words. A word stores its formatting as runs, because
// an element may start or end inside a word.

export type Format = { tag: string; attrs: Record<string, string> };
export type Run = { text: string; formats: Format[]; atom?: HtmlElement };
export type Word = { text: string; runs: Run[] };

/** A change of the words of a text: equal ones, or removed and added ones. */
export function diffWordsOf(before: Word[], after: Word[], effort: Effort) {
  return diffTokens(before, after, (w) => w.text, effort);
}

export function diffInline(before: HtmlNode[], after: HtmlNode[], locale: string | undefined, effort: Effort): Compared[] {
  return diffWordsOf(wordsOf(before, locale), wordsOf(after, locale), effort).flatMap((h) => {
    if (h.same) return formatted(h.before, h.after);
    return [...marked(h.before, 'del'), ...marked(h.after, 'ins')];
  });
}

/** Removed or added words; none for no words. */
export function marked(words: Word[], mark: 'ins' | 'del'): Compared[] {
  return words.length === 0 ? [] : [{ tag: '', attrs: {}, children: elements(words.flatMap((w) => w.runs)), mark }];
}

/** Unchanged words, with what changed where their formatting did. */
export function formatted(before: Word[], after: Word[]): Compared[] {
  const groups: { was: Run[]; is: Run[]; notes?: FormatNote[]; key: string }[] = [];
  after.forEach((word, i) => {
    const was = joined(before[i]!.runs);
    const is = joined(word.runs);
    const notes = JSON.stringify(was) === JSON.stringify(is) ? undefined : notesOf(was, is);
    const key = JSON.stringify(notes) ?? '';
    const last = groups.at(-1);
    if (last?.key === key) {
      last.was.push(...was);
      last.is.push(...is);
    } else groups.push({ was: [...was], is: [...is], notes, key });
  });
  return groups.flatMap(({ was, is, notes }): Compared[] => (notes ? [{ tag: '', attrs: {}, children: elements(is), was: elements(was), notes }] : elements(is)));
}

/** What changed in the formatting of the same words. */
function notesOf(before: Run[], after: Run[]): FormatNote[] {
  const formats = (runs: Run[]) => new Map(runs.flatMap((r) => [...r.formats, ...(r.atom ? [r.atom] : [])]).map((f) => [f.tag, f.attrs]));
  const [was, is] = [formats(before), formats(after)];
  return [...new Set([...was.keys(), ...is.keys()])].flatMap((tag): FormatNote[] => {
    const [old, now] = [was.get(tag), is.get(tag)];
    if (old && now) return attributeNotes(old, now);
    if (tag === 'a') return attributeNotes(old ?? {}, now ?? {});
    return [{ kind: now ? 'added' : 'removed', tag }];
  });
}

const addresses = ['href', 'data-entry', 'data-media'];

/** The changes of attributes. A link has one address, whichever attributes it consists of. */
export function attributeNotes(before: Record<string, string>, after: Record<string, string>): FormatNote[] {
  const link = (attrs: Record<string, string>) => (addresses.some((name) => name in attrs) ? Object.fromEntries(addresses.flatMap((name) => (name in attrs ? [[name, attrs[name]!]] : []))) : undefined);
  const [from, to] = [link(before), link(after)];
  const names = [...new Set([...Object.keys(before), ...Object.keys(after)])].filter((name) => !addresses.includes(name) && before[name] !== after[name]);
  return [
    ...(JSON.stringify(from) === JSON.stringify(to) ? [] : [{ kind: 'link' as const, from, to }]),
    ...names.map((name) => ({ kind: 'attribute' as const, name, from: before[name], to: after[name] })),
  ];
}

/** Merges adjacent runs with the same formatting, so that equal words have equal runs. */
export function joined(runs: Run[]): Run[] {
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

/** The words of nodes. The result for the same list is kept, because segmenting is slow and several steps need it. */
export function wordsOf(nodes: HtmlNode[], locale?: string): Word[] {
  const kept = known.get(nodes);
  if (kept && kept.locale === locale) return kept.words;
  const words = wordsIn(nodes, locale);
  known.set(nodes, { locale, words });
  return words;
}

const known = new WeakMap<HtmlNode[], { locale?: string; words: Word[] }>();

function wordsIn(nodes: HtmlNode[], locale?: string): Word[] {
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
      } else if (node.children.length === 0) {
        flush();
        found.push({ text: `<${node.tag} ${node.attrs['data-media'] ?? node.attrs.src ?? ''}>`, runs: [{ text: '', formats, atom: node }] });
      } else walk(node.children, [...formats, { tag: node.tag, attrs: node.attrs }]);
    }
  };
  walk(nodes, []);
  flush();
  return found;
}

/** Rebuilds the elements around runs. depth is the index of the first format to apply. */
export function elements(runs: Run[], depth = 0): Compared[] {
  const nodes: Compared[] = [];
  for (let i = 0; i < runs.length; ) {
    const format = runs[i]!.formats[depth];
    let end = i + 1;
    while (end < runs.length && (format ? runs[end]!.formats[depth] && sameFormat(runs[end]!.formats[depth]!, format) : !runs[end]!.formats[depth])) end++;
    const group = runs.slice(i, end);
    if (format) nodes.push({ ...format, children: elements(group, depth + 1) });
    else for (const run of joined(group)) nodes.push(run.atom ? { ...run.atom, children: [] } : { text: run.text });
    i = end;
  }
  return nodes;
}
