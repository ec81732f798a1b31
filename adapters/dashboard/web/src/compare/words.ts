import { diffArrays } from 'diff';

/** A hunk of a diff: equal items, or items removed from the first sequence and added in the second. */
export type Hunk<T> = { same: boolean; before: T[]; after: T[] };

/** A piece of text, with a mark if it was inserted or deleted. */
export type Part = { text: string; mark?: 'ins' | 'del' };

/** Splits text into words, spaces and punctuation, by the rules of the locale. */
export function segments(text: string, locale?: string): string[] {
  return [...segmenter(locale).segment(text)].map((s) => s.segment);
}

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
export function diffTokens<T>(before: T[], after: T[], text: (token: T) => string): Hunk<T>[] {
  if (before.length === 0 && after.length === 0) return [];
  if (before.length > 0 && after.length > 0 && similarity(before.map(text), after.map(text)) < 0.3) return [{ same: false, before, after }];
  return joinAcrossSpaces(hunks(before, after, text), text);
}

/** Compares two sequences by the keys of their items. */
export function hunks<T>(before: T[], after: T[], key: (item: T) => string): Hunk<T>[] {
  const found: Hunk<T>[] = [];
  let b = 0;
  let a = 0;
  for (const change of diffArrays(before.map(key), after.map(key))) {
    const n = change.value.length;
    const last = found.at(-1);
    if (!change.added && !change.removed) {
      found.push({ same: true, before: before.slice(b, b + n), after: after.slice(a, a + n) });
      b += n;
      a += n;
      continue;
    }
    const hunk = last && !last.same ? last : { same: false, before: [], after: [] };
    if (hunk !== last) found.push(hunk);
    if (change.removed) hunk.before.push(...before.slice(b, (b += n)));
    else hunk.after.push(...after.slice(a, (a += n)));
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

/** The share of words that two lists have in common (Dice coefficient), from 0 to 1. Spaces and punctuation do not count. */
export function similarity(before: string[], after: string[]): number {
  const isWord = (s: string) => /[\p{L}\p{N}]/u.test(s);
  const a = before.filter(isWord);
  const b = after.filter(isWord);
  if (a.length + b.length === 0) return before.join('') === after.join('') ? 1 : 0.5;
  const counts = new Map<string, number>();
  for (const word of a) counts.set(word, (counts.get(word) ?? 0) + 1);
  let common = 0;
  for (const word of b) {
    const left = counts.get(word) ?? 0;
    if (left > 0) {
      common++;
      counts.set(word, left - 1);
    }
  }
  return (2 * common) / (a.length + b.length);
}
