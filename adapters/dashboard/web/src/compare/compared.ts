import type { HtmlNode } from './html';

/** What changed in the formatting of words or of a block. Of a link, from and to are the attributes that are its address. */
export type FormatNote =
  | { kind: 'added' | 'removed'; tag: string }
  | { kind: 'block'; from: string; to: string }
  | { kind: 'link'; from?: Record<string, string>; to?: Record<string, string> }
  | { kind: 'attribute'; name: string; from?: string; to?: string };

/**
 * An element of compared rich text. The tag of inline content between blocks, and of marked words, is ''.
 * Without marks it is the same in both versions.
 */
export type ComparedElement = {
  tag: string;
  attrs: Record<string, string>;
  children: Compared[];
  /** The element, with all that it contains, is only in the later version, or only in the earlier one. */
  mark?: 'ins' | 'del';
  /** What changed in the formatting. */
  notes?: FormatNote[];
  /** With notes, of words: the same words with their earlier formatting. */
  was?: Compared[];
  /** With notes, of a block: its earlier element. */
  from?: { tag: string; attrs: Record<string, string> };
  /** The block was moved. It stands at its present place; an element with the same id stands at its earlier place. */
  moved?: { id: number; up: boolean };
  /** The earlier place of a moved block, which begins with these words. It has no children. */
  away?: { id: number; up: boolean; begins: string };
  /**
   * 'ins': the block continued the one before it, and was split from it. 'del': an element without children, in
   * the place where a block was joined with the next one, whose element was from.
   */
  seam?: 'ins' | 'del';
  /** A cell in a column that the version of its row does not have. */
  gap?: true;
};

/** A node of compared rich text. */
export type Compared = { text: string } | ComparedElement;

/** Converts rich text to compared nodes without marks. */
export const unmarked = (nodes: HtmlNode[]): Compared[] => nodes.map((n) => (typeof n === 'string' ? { text: n } : { ...n, children: unmarked(n.children) }));
