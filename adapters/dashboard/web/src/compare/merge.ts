import { align, type Alignment } from './align';
import { Effort } from './effort';
import { formatHtml, parseHtml, type HtmlElement, type HtmlNode } from './html';
import { blockRules, blocksOf, isBlock, type Block } from './richtext';
import { rowsOf } from './table';

/** A part of a merged text: merged, or in conflict. html, base, mine and theirs are HTML; '' means that the version has nothing there. */
export type Piece = { html: string } | Conflict;
export type Conflict = { base: string; mine: string; theirs: string };

export const isConflict = (piece: Piece): piece is Conflict => !('html' in piece);

/**
 * Merges two versions of a rich text with a common base, block by block. Blocks that only one side changed,
 * moved, inserted or deleted are merged; the others are conflicts.
 */
export function mergeRichText(base: string, mine: string, theirs: string, locale?: string): Piece[] {
  return joinedPieces(merge(parseHtml(base), parseHtml(mine), parseHtml(theirs), { locale, effort: new Effort() }));
}

export const textOf = (value: unknown) => (typeof value === 'string' ? value : '');

/** The merged text of two versions; undefined if they are in conflict. Values that are no texts are empty. */
export function mergedText(base: unknown, mine: unknown, theirs: unknown, locale?: string): string | undefined {
  const pieces = mergeRichText(textOf(base), textOf(mine), textOf(theirs), locale);
  return pieces.some(isConflict) ? undefined : pieces.map((piece) => ('html' in piece ? piece.html : '')).join('');
}

type Context = { locale?: string; effort: Effort };

/** One version against the base. */
type Side = { blocks: Block[]; of: Map<number, number>; base: Map<number, number>; inPlace: Set<number>; moved: Set<number> };

function sideOf(base: Block[], blocks: Block[], effort: Effort): Side {
  const found: Alignment = align(base, blocks, blockRules(effort));
  const all = [...found.pairs, ...found.moved];
  return {
    blocks,
    of: new Map(all), // by index in the base
    base: new Map(all.map(([i, j]) => [j, i])),
    inPlace: new Set(found.pairs.map(([i]) => i)),
    moved: new Set(found.moved.map(([i]) => i)),
  };
}

function merge(baseNodes: HtmlNode[], mineNodes: HtmlNode[], theirNodes: HtmlNode[], context: Context): Piece[] {
  const base = blocksOf(baseNodes, context.locale);
  const mine = sideOf(base, blocksOf(mineNodes, context.locale), context.effort);
  const theirs = sideOf(base, blocksOf(theirNodes, context.locale), context.effort);
  // A block that one side moved stands where that side has it.
  const ownsMove = (side: Side, i: number) => side.moved.has(i) && (side === mine || !mine.moved.has(i));
  const isMoved = (i: number) => mine.moved.has(i) || theirs.moved.has(i);
  const content = (i: number) => mergeBlock(base[i]!, blockOf(mine, i), blockOf(theirs, i), context);

  const pieces: Piece[] = [];
  let [b, m, t] = [0, 0, 0];
  for (let i = 0; i <= base.length; i++) {
    const end = i === base.length;
    if (!end && !(mine.inPlace.has(i) && theirs.inPlace.has(i))) continue;
    const [toMine, toTheirs] = end ? [mine.blocks.length, theirs.blocks.length] : [mine.of.get(i)!, theirs.of.get(i)!];
    const part = (side: Side, from: number, to: number) => numbers(from, to).filter((j) => !isMoved(side.base.get(j) ?? -1) || ownsMove(side, side.base.get(j)!));
    const stays = numbers(b, i).filter((n) => !isMoved(n));
    pieces.push(...mergeChunk(base, stays, { side: mine, at: part(mine, m, toMine) }, { side: theirs, at: part(theirs, t, toTheirs) }, content));
    if (!end) pieces.push(...content(i));
    [b, m, t] = [i + 1, toMine + 1, toTheirs + 1];
  }
  return pieces;
}

const numbers = (from: number, to: number) => Array.from({ length: Math.max(0, to - from) }, (_, n) => from + n);
const blockOf = (side: Side, i: number): Block | undefined => (side.of.has(i) ? side.blocks[side.of.get(i)!] : undefined);
const htmlOf = (blocks: (Block | undefined)[]) => formatHtml(blocks.flatMap((block) => (block ? [block.element] : [])));

/** Indexes of the blocks of a version between two blocks that all versions have. */
type Part = { side: Side; at: number[] };

/** Merges what is between two blocks that all versions have. stays are the blocks of the base there that no side moved. */
function mergeChunk(base: Block[], stays: number[], mine: Part, theirs: Part, content: (i: number) => Piece[]): Piece[] {
  const tokens = ({ side, at }: Part) => JSON.stringify(at.map((j) => side.base.get(j) ?? side.blocks[j]!.key));
  const [own, other, both] = [tokens(mine), tokens(theirs), JSON.stringify(stays)];
  const taken = other === both || own === other ? mine : own === both ? theirs : undefined;
  // A block that the side deleted and the other one changed is a conflict.
  const lost = taken && stays.some((i) => !taken.at.some((j) => taken.side.base.get(j) === i) && content(i).length > 0);
  if (taken && !lost) return taken.at.flatMap((j) => (taken.side.base.has(j) ? content(taken.side.base.get(j)!) : [{ html: htmlOf([taken.side.blocks[j]]) }]));
  const shown = (part: Part, opposite: Part) => {
    // What the other side moved here is shown with the changes that this side made to it.
    const changedHere = opposite.at.map((j) => opposite.side.base.get(j)).filter((i) => i !== undefined && opposite.side.moved.has(i) && look(blockOf(part.side, i)) !== look(base[i])) as number[];
    return htmlOf([...part.at.map((j) => part.side.blocks[j]), ...changedHere.map((i) => blockOf(part.side, i))]);
  };
  return [{ base: htmlOf(stays.map((i) => base[i])), mine: shown(mine, theirs), theirs: shown(theirs, mine) }];
}

/** A block without the space that editors do not keep, such as that at the end of a paragraph. */
const look = (block: Block | undefined) => block && (block.element.tag === 'pre' ? block.key : htmlOf([block]).replaceAll(/\s+/g, ' ').replaceAll(/ ?(<\/?(?:p|h[1-6]|ul|ol|li|dl|dt|dd|table|thead|tbody|tfoot|tr|td|th|blockquote|div|br)\b[^>]*>) ?/g, '$1'));

/** Merges the versions of a block; undefined: the side deleted it. */
function mergeBlock(base: Block, mine: Block | undefined, theirs: Block | undefined, context: Context): Piece[] {
  const [was, own, other] = [look(base), look(mine), look(theirs)];
  if (theirs?.key === base.key || own === other) return mine ? [{ html: htmlOf([mine]) }] : [];
  if (mine?.key === base.key) return theirs ? [{ html: htmlOf([theirs]) }] : [];
  if (other === was) return mine ? [{ html: htmlOf([mine]) }] : [];
  if (own === was) return theirs ? [{ html: htmlOf([theirs]) }] : [];
  const inner = mine && theirs && mergeInside(base.element, mine.element, theirs.element, context);
  return [inner ?? { base: htmlOf([base]), mine: htmlOf([mine]), theirs: htmlOf([theirs]) }];
}

/** Merges the blocks inside a block, such as the items of a list; undefined if they are in conflict. */
function mergeInside(base: HtmlElement, mine: HtmlElement, theirs: HtmlElement, context: Context): Piece | undefined {
  const frame = ({ tag, attrs }: HtmlElement) => JSON.stringify([tag, attrs]);
  if (frame(base) !== frame(mine) || frame(base) !== frame(theirs) || ![base, mine, theirs].every((e) => e.children.some(isBlock))) return undefined;
  const inner = joinedPieces(merge(base.children, mine.children, theirs.children, context));
  if (inner.some(isConflict)) return undefined;
  const merged: HtmlElement = { tag: base.tag, attrs: base.attrs, children: parseHtml(inner.map((piece) => ('html' in piece ? piece.html : '')).join('')) };
  if (base.tag === 'table' && isRagged(merged) && !isRagged(mine) && !isRagged(theirs)) return undefined;
  return { html: formatHtml([merged]) };
}

const isRagged = (table: HtmlElement) => new Set(rowsOf(table).map((row) => row.length)).size > 1;

/** Joins merged pieces that follow each other, and leaves out empty ones. */
function joinedPieces(pieces: Piece[]): Piece[] {
  const found: Piece[] = [];
  for (const piece of pieces) {
    const last = found.at(-1);
    if (isConflict(piece)) found.push(piece);
    else if (last && !isConflict(last)) last.html += piece.html;
    else if (piece.html) found.push({ ...piece });
  }
  return found;
}
