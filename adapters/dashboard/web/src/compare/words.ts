import { Effort } from './effort';
import { ranges } from './ranges';

/** A hunk of a diff: equal items, or items removed from the first sequence and added in the second. */
export type Hunk<T> = { same: boolean; before: T[]; after: T[] };

/** A piece of text, with a mark if it was inserted or deleted. */
export type Part = { text: string; mark?: 'ins' | 'del' };

/** Splits text into words, spaces and punctuation, by the rules of the locale. */
export function segments(text: string, locale?: string): string[] {
  return (text.match(pieces) ?? []).flatMap((piece) => [...segmenter(locale).segment(piece)].map((s) => s.segment));
}

/**
 * Pieces of a text that end before a word, because the time and memory that V8 needs to segment a text grow
 * with the square of its length: 20 s and 800 MB for 50 KB.
 */
const pieces = /[\s\S]{400,4000}?[\s。！？、](?=[\p{L}\p{N}])|[\s\S]{1,4000}/gu;

let cached: { locale?: string; value: Intl.Segmenter } | undefined;

function segmenter(locale?: string) {
  if (!cached || cached.locale !== locale) {
    let value: Intl.Segmenter;
    try {
      value = new Intl.Segmenter(locale, { granularity: 'word' });
    } catch {
      value = new Intl.Segmenter(undefined, { granularity: 'word' }); // the language tag is invalid
    }
    cached = { locale, value };
  }
  return cached.value;
}

/** Compares two texts word by word. */
export function diffWords(before: string, after: string, locale?: string): Part[] {
  return diffTokens(segments(before, locale), segments(after, locale), (s) => s).flatMap((h): Part[] => {
    if (h.same) return [{ text: h.after.join('') }];
    const parts: Part[] = [
      { text: h.before.join(''), mark: 'del' },
      { text: h.after.join(''), mark: 'ins' },
    ];
    return parts.filter((p) => p.text);
  });
}

/**
 * Compares two sequences of tokens by their text. For readability, sequences with a similarity below
 * 0.3 become one removal and one addition, and a space between two changes becomes part of them.
 */
export function diffTokens<T>(before: T[], after: T[], text: (token: T) => string, effort?: Effort): Hunk<T>[] {
  if (before.length === 0 && after.length === 0) return [];
  if (before.length > 0 && after.length > 0 && similarity(before.map(text), after.map(text)) < 0.3) return [{ same: false, before, after }];
  return joinAcrossSpaces(hunks(before, after, text, effort), text);
}

/** Compares two sequences by the keys of their items. */
export function hunks<T>(before: readonly T[], after: readonly T[], key: (item: T) => string, effort = new Effort()): Hunk<T>[] {
  const numbers = new Map<string, number>();
  const numbered = (items: readonly T[]) =>
    items.map((item) => {
      const text = key(item);
      if (!numbers.has(text)) numbers.set(text, numbers.size);
      return numbers.get(text)!;
    });
  const found: Hunk<T>[] = [];
  let [b, a] = [0, 0];
  for (const { same, before: n, after: m } of ranges(numbered(before), numbered(after), effort)) {
    if (n + m === 0) continue;
    const [gone, come] = [before.slice(b, b + n), after.slice(a, a + m)];
    const last = found.at(-1);
    if (last?.same === same) {
      for (const item of gone) last.before.push(item);
      for (const item of come) last.after.push(item);
    } else found.push({ same, before: gone, after: come });
    b += n;
    a += m;
  }
  return found;
}

function joinAcrossSpaces<T>(all: Hunk<T>[], text: (token: T) => string): Hunk<T>[] {
  const joined: Hunk<T>[] = [];
  for (let i = 0; i < all.length; i++) {
    const hunk = all[i]!;
    const last = joined.at(-1);
    const next = all[i + 1];
    const space = hunk.same && hunk.after.every((t) => text(t).trim() === '');
    const replaces = last && next && last.before.length + next.before.length > 0 && last.after.length + next.after.length > 0;
    if (space && last && !last.same && next && replaces) {
      last.before.push(...hunk.before, ...next.before);
      last.after.push(...hunk.after, ...next.after);
      i++;
    } else joined.push({ same: hunk.same, before: [...hunk.before], after: [...hunk.after] });
  }
  return joined;
}

/** Whether a token has a letter or a digit. Pictures, which are tokens like "<img 12>", have one. */
export const isWord = (token: string) => /[\p{L}\p{N}]/u.test(token);

/** The share of words that two lists have in common (Dice coefficient), from 0 to 1. Spaces and punctuation do not count. */
export function similarity(before: readonly string[], after: readonly string[]): number {
  const a = before.filter(isWord);
  const b = after.filter(isWord);
  if (a.length + b.length === 0) return before.join('') === after.join('') ? 1 : 0.5;
  return (2 * (b.length - without(b, a).length)) / (a.length + b.length);
}

/** The tokens without those of others, each as often as it is in others. */
export function without(tokens: readonly string[], others: readonly string[]): string[] {
  const counts = new Map<string, number>();
  for (const token of others) counts.set(token, (counts.get(token) ?? 0) + 1);
  return tokens.filter((token) => {
    const left = counts.get(token) ?? 0;
    if (left > 0) counts.set(token, left - 1);
    return left === 0;
  });
}
