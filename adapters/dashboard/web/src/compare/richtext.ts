import { align, slots, type Item, type Slot } from './align';
import { unmarked, type Compared, type ComparedElement, type FormatNote } from './compared';
import { Effort } from './effort';
import { plainText, type HtmlElement, type HtmlNode } from './html';
import { attributeNotes, diffInline, diffWordsOf, formatted, marked, wordsOf, type Word } from './inline';
import { columnsOf } from './table';
import { isWord, without } from './words';

const blockTags = new Set(
  'p h1 h2 h3 h4 h5 h6 ul ol li dl dt dd blockquote pre table caption colgroup thead tbody tfoot tr td th figure figcaption hr div section article aside details summary hgroup'.split(' '),
);
const proseTags = new Set(['p', 'h1', 'h2', 'h3', 'h4', 'h5', 'h6', 'div', 'blockquote', 'pre', '']);
/** Elements that are versions of each other if they stand in the same place, whatever they contain. */
const containers = new Set(['ul', 'ol', 'dl', 'table', 'thead', 'tbody', 'tfoot', 'td', 'th', 'figure', 'colgroup', 'caption']);

export const isBlockTag = (tag: string) => blockTags.has(tag);
export const isBlock = (n: HtmlNode): n is HtmlElement => typeof n !== 'string' && blockTags.has(n.tag);

/** A block and the properties by which it is aligned. */
export type Block = Item & { element: HtmlElement };

/** Returns nodes as blocks: text and inline elements between blocks become blocks without a tag. */
export function blocksOf(nodes: HtmlNode[], locale?: string): Block[] {
  const found: HtmlElement[] = [];
  for (const node of nodes) {
    if (isBlock(node)) found.push(node);
    else if (found.at(-1)?.tag === '') found.at(-1)!.children.push(node);
    else if (typeof node !== 'string' || node.trim()) found.push({ tag: '', attrs: {}, children: [node] });
  }
  return found.map((element) => ({ element, key: JSON.stringify(element), words: textsOf(element, locale) }));
}

/** The texts of the words of an element. */
function textsOf(element: HtmlElement, locale?: string): string[] {
  if (!element.children.some(isBlock)) return wordsOf(element.children.length > 0 ? element.children : [element], locale).map((w) => w.text);
  let kept = texts.get(element);
  if (kept?.locale !== locale) kept = undefined;
  if (!kept) texts.set(element, (kept = { locale, words: blocksOf(element.children, locale).flatMap((b) => b.words) }));
  return kept.words;
}

const texts = new WeakMap<HtmlElement, { locale?: string; words: string[] }>();

/** The rules by which blocks are aligned. */
export const blockRules = (effort: Effort) => ({
  fits: ({ element: b }: Block, { element: a }: Block) => b.tag === a.tag || (isCell(b) && isCell(a)) || (isList(b) && isList(a)) || (proseTags.has(b.tag) && proseTags.has(a.tag)),
  floor: ({ element: b }: Block, { element: a }: Block) => (containers.has(b.tag) && containers.has(a.tag) ? 0.31 : 0),
  effort,
});

const isList = ({ tag }: HtmlElement) => tag === 'ul' || tag === 'ol';
const isCell = ({ tag }: HtmlElement) => tag === 'td' || tag === 'th';

/** Compares two rich texts: blocks are aligned, also moved ones, and then compared word by word. */
export function diffRichText(before: HtmlNode[], after: HtmlNode[], locale?: string, effort = new Effort()): Compared[] {
  return new Comparison(locale, effort).children(before, after);
}

class Comparison {
  #moves = 0;

  constructor(
    readonly locale: string | undefined,
    readonly effort: Effort,
  ) {}

  children(before: HtmlNode[], after: HtmlNode[], columns?: Slot[]): Compared[] {
    if (!before.some(isBlock) && !after.some(isBlock)) return diffInline(before, after, this.locale, this.effort);
    const [bs, as] = [blocksOf(before, this.locale), blocksOf(after, this.locale)];
    const all = slots(align(bs, as, blockRules(this.effort)), bs.length, as.length);
    const ids = new Map<number, number>();
    const found: Compared[] = [];
    for (let n = 0; n < all.length; n++) {
      const slot = all[n]!;
      const seam = slot.move ? undefined : this.#seam(all, n, bs, as);
      if (seam) {
        found.push(...seam.blocks);
        n += seam.slots - 1;
        continue;
      }
      const [b, a] = [slot.before === undefined ? undefined : bs[slot.before]!.element, slot.after === undefined ? undefined : as[slot.after]!.element];
      if (slot.move) ids.set(slot.before!, ids.get(slot.before!) ?? ++this.#moves);
      const move = slot.move && { id: ids.get(slot.before!)!, up: slot.move.up };
      if (move && !slot.move!.here) found.push({ tag: b!.tag, attrs: {}, children: [], away: { ...move, begins: beginning(b!) } });
      else if (b && a) found.push({ ...this.block(b, a, columns), ...(move && { moved: move }) });
      else found.push(this.whole((a ?? b)!, a ? 'ins' : 'del', columns));
    }
    return found;
  }

  /** Compares two versions of a block. columns are those of the table around it. */
  block(before: HtmlElement, after: HtmlElement, columns?: Slot[]): ComparedElement {
    const { tag, attrs } = after;
    const changed = { tag, attrs, ...blockNotes(before, after) };
    if (tag === 'tr' && columns) return { ...changed, children: this.#cells(before, after, columns) };
    return { ...changed, children: this.children(before.children, after.children, tag === 'table' && before.tag === 'table' ? columnsOf(before, after, this.locale, this.effort) : tag === 'td' || tag === 'th' ? undefined : columns) };
  }

  /** A completely added or removed block. A row has a gap in each column of the other version. */
  whole(element: HtmlElement, mark: 'ins' | 'del', columns?: Slot[]): ComparedElement {
    return { ...this.#spread(element, mark, columns), mark };
  }

  #spread(element: HtmlElement, mark: 'ins' | 'del', columns?: Slot[]): ComparedElement {
    const { tag, attrs, children } = element;
    if (!columns || isCell(element)) return { tag, attrs, children: unmarked(children) };
    if (tag !== 'tr') return { tag, attrs, children: children.map((c) => (isBlock(c) ? this.#spread(c, mark, columns) : { text: typeof c === 'string' ? c : plainText([c]) })) };
    const cells = children.filter(isBlock);
    const side = mark === 'ins' ? 'after' : 'before';
    return {
      tag,
      attrs,
      children: columns.map((slot): Compared => {
        const at = slot.move && slot.move.here !== (side === 'after') ? undefined : slot[side];
        const cell = at === undefined ? undefined : cells[at];
        return cell ? { ...cell, children: unmarked(cell.children) } : gap;
      }),
    };
  }

  #cells(before: HtmlElement, after: HtmlElement, columns: Slot[]): Compared[] {
    const [bs, as] = [before.children.filter(isBlock), after.children.filter(isBlock)];
    const ids = new Map<number, number>();
    return columns.map((slot): Compared => {
      const [b, a] = [slot.before === undefined ? undefined : bs[slot.before], slot.after === undefined ? undefined : as[slot.after]];
      if (!b && !a) return gap;
      if (!slot.move || !b || !a) {
        if (slot.move && !(slot.move.here ? a : b)) return gap;
        return b && a ? this.block(b, a) : this.whole((a ?? b)!, a ? 'ins' : 'del');
      }
      ids.set(slot.before!, ids.get(slot.before!) ?? ++this.#moves);
      const move = { id: ids.get(slot.before!)!, up: slot.move.up };
      return slot.move.here ? { ...this.block(b, a), moved: move } : { tag: b.tag, attrs: {}, children: [], away: { ...move, begins: beginning(b) } };
    });
  }

  /** The blocks that one block was split into, or one that several were joined to, if the slots from n on are such. */
  #seam(all: Slot[], n: number, bs: Block[], as: Block[]): { slots: number; blocks: Compared[] } | undefined {
    for (const side of ['after', 'before'] as const) {
      const group = seamAt(all, n, side === 'after' ? as : bs, side === 'after' ? bs : as, side);
      if (!group) continue;
      const parts = group.parts.map((i) => (side === 'after' ? as : bs)[i]!.element);
      const one = (side === 'after' ? bs : as)[group.one]!.element;
      const words = parts.flatMap((p, i): Word[] => [...(i > 0 ? [paragraphBreak] : []), ...wordsOf(p.children, this.locale)]);
      const whole = wordsOf(one.children, this.locale);
      const blocks = side === 'after' ? this.#split(one, parts, whole, words) : this.#join(parts, one, words, whole);
      return { slots: group.slots, blocks };
    }
    return undefined;
  }

  #split(before: HtmlElement, after: HtmlElement[], was: Word[], is: Word[]): Compared[] {
    const parts: Compared[][] = [[]];
    for (const h of diffWordsOf(was, is, this.effort)) {
      if (h.same) {
        parts.at(-1)!.push(...formatted(h.before, h.after));
        continue;
      }
      parts.at(-1)!.push(...marked(h.before, 'del'));
      atBreaks(h.after).forEach((words, i) => {
        if (i > 0) parts.push([]);
        parts.at(-1)!.push(...marked(words, 'ins'));
      });
    }
    return after.map(({ tag, attrs }, i): Compared => ({ tag, attrs, children: parts[i]!, ...(i > 0 ? { seam: 'ins' } : blockNotes(before, after[0]!)) }));
  }

  #join(before: HtmlElement[], after: HtmlElement, was: Word[], is: Word[]): Compared[] {
    const children: Compared[] = [];
    let next = 1;
    for (const h of diffWordsOf(was, is, this.effort)) {
      if (h.same) {
        children.push(...formatted(h.before, h.after));
        continue;
      }
      atBreaks(h.before).forEach((words, i) => {
        if (i > 0) {
          const { tag, attrs } = before[next++]!;
          children.push({ tag: '', attrs: {}, children: [], seam: 'del', from: { tag, attrs } });
        }
        children.push(...marked(words, 'del'));
      });
      children.push(...marked(h.after, 'ins'));
    }
    const { tag, attrs } = after;
    return [{ tag, attrs, children, ...blockNotes(before[0]!, after) }];
  }
}

const gap: Compared = { tag: 'td', attrs: {}, children: [], gap: true };

/** The first words of a block. */
function beginning(element: HtmlElement) {
  const text = plainText([element]).trim().replaceAll(/\s+/g, ' ');
  return text.length > 60 ? `${text.slice(0, text.lastIndexOf(' ', 60) > 20 ? text.lastIndexOf(' ', 60) : 60)}…` : text;
}

/** What changed in the element of a block. A text that gets or loses only its paragraph element shows no change. */
function blockNotes(before: HtmlElement, after: HtmlElement): Pick<ComparedElement, 'notes' | 'from'> {
  const { tag, attrs } = before;
  if (tag === after.tag && JSON.stringify(attrs) === JSON.stringify(after.attrs)) return {};
  const notes: FormatNote[] = [...(tag === after.tag || tag === '' || after.tag === '' ? [] : [{ kind: 'block' as const, from: tag, to: after.tag }]), ...attributeNotes(attrs, after.attrs)];
  return { notes, from: { tag, attrs } };
}

// Blocks that were split or joined.

/** The end of a block among the words of several blocks. No word of a text equals it. */
const paragraphBreak: Word = { text: '\n¶', runs: [] };

function atBreaks(words: Word[]): Word[][] {
  const parts: Word[][] = [[]];
  for (const word of words) {
    if (word === paragraphBreak) parts.push([]);
    else parts.at(-1)!.push(word);
  }
  return parts;
}

const mostParts = 8;
const seams = new Set(['p', 'h1', 'h2', 'h3', 'h4', 'h5', 'h6', 'li']);
const isLeaf = ({ element }: Block) => seams.has(element.tag) && !element.children.some(isBlock);

/**
 * A block in place from slot n on, and the neighbours on one side that consist mostly of the words that
 * it lost or got. parts are indexes of many, one of whole.
 */
function seamAt(all: Slot[], n: number, many: Block[], whole: Block[], side: 'before' | 'after') {
  const other = side === 'after' ? 'before' : 'after';
  const alone = (slot: Slot | undefined) => slot && !slot.move && slot[side] !== undefined && slot[other] === undefined && isLeaf(many[slot[side]!]!);
  let at = n;
  while (alone(all[at]) && at - n < mostParts) at++;
  const pair = all[at];
  if (!pair || pair.move || pair.before === undefined || pair.after === undefined) return undefined;
  const [own, one] = [many[pair[side]!]!, whole[pair[other]!]!];
  if (!isLeaf(own) || !isLeaf(one)) return undefined;
  let left = without(one.words, own.words);
  const takes = (slot: Slot | undefined) => {
    if (!alone(slot)) return false;
    const block = many[slot![side]!]!;
    const words = block.words.filter(isWord);
    const rest = without(left, block.words);
    if (words.length === 0 || left.filter(isWord).length - rest.filter(isWord).length < 0.7 * words.length) return false;
    if ((block.element.tag === 'li') !== (one.element.tag === 'li')) return false;
    left = rest;
    return true;
  };
  let first = at;
  while (first > n && takes(all[first - 1])) first--;
  if (first > n) return undefined; // a slot before the first part stands alone; the seam begins later
  let last = at;
  while (takes(all[last + 1])) last++;
  if (first === last) return undefined;
  return { slots: last - n + 1, one: pair[other]!, parts: all.slice(first, last + 1).map((slot) => slot[side]!) };
}
