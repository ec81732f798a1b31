import { expect, test } from 'vitest';
import { formatHtml, parseHtml, plainText, type HtmlElement } from './html';
import { isConflict, mergeRichText, type Piece } from './merge';
import { writer } from './sides.testing';

const shown = (pieces: Piece[]) => pieces.map((p) => (isConflict(p) ? `[${p.base}|${p.mine}|${p.theirs}]` : p.html)).join('');
const merged = (base: string, mine: string, theirs: string) => shown(mergeRichText(base, mine, theirs, 'en'));

const [a, b, c, d] = ['<p>one two three four</p>', '<p>five six seven eight</p>', '<p>nine ten eleven twelve</p>', '<p>thirteen fourteen fifteen</p>'];
const [a2, b2, c2] = ['<p>one two three 4</p>', '<p>five 6 seven eight</p>', '<p>nine ten 11 twelve</p>'];

test.each([
  ['changes of two blocks', a + b + c, a2 + b + c, a + b + c2, a2 + b + c2],
  ['changes of neighbours', a + b + c, a2 + b + c, a + b2 + c, a2 + b2 + c],
  ['a new block and a change', a + b, a + d + b, a + b2, a + d + b2],
  ['a deleted block and a change', a + b + c, b + c, a + b + c2, b + c2],
  ['a moved block and its change', a + b + c, b + c + a, a2 + b + c, b + c + a2],
  ['a moved block and another change', a + b + c, b + c + a, a + b2 + c, b2 + c + a],
  ['the same change', a + b, a2 + b, a2 + b, a2 + b],
  ['items of a list', '<ul><li>a b c</li><li>d e f</li></ul>', '<ul><li>a b 3</li><li>d e f</li></ul>', '<ul><li>a b c</li><li>d e f</li><li>g</li></ul>', '<ul><li>a b 3</li><li>d e f</li><li>g</li></ul>'],
  [
    'rows of a table',
    '<table><tbody><tr><td>a b</td><td>c</td></tr><tr><td>d e</td><td>f</td></tr></tbody></table>',
    '<table><tbody><tr><td>a 2</td><td>c</td></tr><tr><td>d e</td><td>f</td></tr></tbody></table>',
    '<table><tbody><tr><td>a b</td><td>c</td></tr><tr><td>d e</td><td>6</td></tr></tbody></table>',
    '<table><tbody><tr><td>a 2</td><td>c</td></tr><tr><td>d e</td><td>6</td></tr></tbody></table>',
  ],
  // A text that ends with a space is saved while it is typed, and the other editor saves it without the space.
  ['a change and lost space', '<p>one </p><p>five six </p>', '<p>one two</p><p>five six </p>', '<p>one</p><p>five six seven</p>', '<p>one two</p><p>five six seven</p>'],
  ['two changes of a block', a + b, a2 + b, `<p>1 two three four</p>${b}`, `[${a}|${a2}|<p>1 two three four</p>]${b}`],
  ['a deleted block that was changed', a + b + c, a + c, a + b2 + c, `${a}[${b}||${b2}]${c}`],
  ['two new blocks in one place', a + b, a + d + b, a + c + b, `${a}[|${d}|${c}]${b}`],
  ['a block that was replaced and changed', a + b + c, a + d + c, a + b2 + c, `${a}[${b}|${d}|${b2}]${c}`],
  ['no text before', '', a, b, `[|${a}|${b}]`],
])('merges %s', (_, base, mine, theirs, result) => {
  expect(merged(base, mine, theirs)).toBe(result);
});

const timeout = 60_000; // ms

test('changes of different blocks merge to both', { timeout }, () => {
  for (let seed = 0; seed < 80; seed++) {
    const { text, random, sentence } = writer(seed);
    const base = parseHtml(text(4 + random(8))) as HtmlElement[];
    const change = (element: HtmlElement, word: string): HtmlElement => {
      const at = element.children.findIndex((child) => typeof child === 'string');
      if (at >= 0) return { ...element, children: element.children.with(at, `${element.children[at] as string} ${word}`) };
      return { ...element, children: element.children.with(0, change(element.children[0] as HtmlElement, word)) };
    };
    const owner = base.map(() => random(3)); // 1: mine, 2: theirs
    const side = (own: number[]) => base.map((block, i) => (own.includes(owner[i]!) ? change(block, `typed${i}`) : block));
    const [mine, theirs, both] = [side([1]), side([2]), side([1, 2])];
    // One side also inserts a block, or moves one.
    const [at, to] = [random(base.length), random(base.length)];
    const added = `${sentence(5)} fresh`;
    const kind = random(3);
    if (kind === 0) for (const all of [mine, both]) all.splice(at, 0, { tag: 'p', attrs: {}, children: [added] });
    if (kind === 1) for (const all of [theirs, both]) all.splice(to, 0, ...all.splice(at, 1));
    const pieces = mergeRichText(formatHtml(base), formatHtml(mine), formatHtml(theirs), 'en');
    expect(shown(pieces), `seed ${seed}`).toBe(formatHtml(both));
  }
});

test('all that both sides typed is in the result or beside it', { timeout }, () => {
  for (let seed = 0; seed < 100; seed++) {
    const { text, edited, random } = writer(seed);
    const base = text(1 + random(8));
    const other = writer(seed + 1_000);
    const [mine, theirs] = [edited(base, 1 + random(5)), other.edited(base, 1 + random(5))];
    const pieces = mergeRichText(base, mine, theirs, 'en');
    const words = (html: string) => (formatHtml(parseHtml(html)).replaceAll(/<[^>]*>/g, ' ').match(/[\p{L}\p{N}]+/gu) ?? []) as string[];
    const result = pieces.map((p) => (isConflict(p) ? `${p.mine} ${p.theirs}` : p.html)).join(' ');
    const kept = words(result);
    for (const side of [mine, theirs]) {
      const typed = without(words(side), words(base));
      expect(without(typed, kept), `seed ${seed}: ${base} | ${mine} | ${theirs}`).toEqual([]);
    }
    expect(plainText(parseHtml(result))).not.toContain('undefined');
  }
});

function without(words: string[], others: string[]) {
  const rest = [...others];
  return words.filter((word) => {
    const at = rest.indexOf(word);
    if (at >= 0) rest.splice(at, 1);
    return at < 0;
  });
}
