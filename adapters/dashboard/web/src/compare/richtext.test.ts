import { expect, test } from 'vitest';
import type { Compared, ComparedElement } from './compared';
import { formatHtml, parseHtml, plainText } from './html';
import { diffRichText, isBlockTag } from './richtext';
import { diffWords } from './words';

/** Compared rich text as HTML, with <ins>, <del>, <mark> for formatting, and the places of moves. */
function show(nodes: Compared[], inherited?: 'ins' | 'del'): string {
  return nodes
    .map((n) => {
      if ('text' in n) return n.text;
      if (n.gap) return '<gap>';
      if (n.away) return `<away ${n.away.up ? 'up' : 'down'}: ${n.away.begins}>`;
      if (n.seam === 'del') return '<joined>';
      const mark = n.mark ?? inherited;
      const container = n.children.some((c) => !('text' in c) && isBlockTag(c.tag));
      const inside = show(n.children, container ? mark : undefined);
      const wrap = (name: string | undefined | false, html: string) => (name ? `<${name}>${html}</${name}>` : html);
      const leaf = mark && !container ? mark : undefined;
      if (!isBlockTag(n.tag)) return wrap(n.mark ?? (n.notes && 'mark'), n.tag ? (n.tag === 'img' || n.tag === 'br' ? `<${n.tag}>` : wrap(n.tag, inside)) : inside);
      return wrap(n.notes?.length ? 'mark' : undefined, wrap(n.moved && 'moved', `${n.seam ? '<split>' : ''}${wrap(n.tag, wrap(leaf, inside))}`));
    })
    .join('');
}

const diff = (before: string, after: string) => show(diffRichText(parseHtml(before), parseHtml(after), 'en'));

test('parseHtml reads elements, attributes and entities', () => {
  expect(parseHtml('<p class="a b">A &amp; B<br/><a href="/x?a=1&amp;b=2">x</a></p>&#39;&lt;')).toEqual([
    { tag: 'p', attrs: { class: 'a b' }, children: ['A & B', { tag: 'br', attrs: {}, children: [] }, { tag: 'a', attrs: { href: '/x?a=1&b=2' }, children: ['x'] }] },
    "'<",
  ]);
  expect(plainText(parseHtml('<ul><li>a</li><li>b <em>c</em></li></ul>'))).toBe('ab c');
  expect(parseHtml('1 < 2')).toEqual(['1 < 2']);
});

test.each([
  ['the first text', 'the second text', [{ text: 'the ' }, { text: 'first', mark: 'del' }, { text: 'second', mark: 'ins' }, { text: ' text' }]],
  ['Ceasefire announced', 'Ceasefire holds for a second week', [{ text: 'Ceasefire announced', mark: 'del' }, { text: 'Ceasefire holds for a second week', mark: 'ins' }]],
  ['', 'new', [{ text: 'new', mark: 'ins' }]],
  ['same', 'same', [{ text: 'same' }]],
  ['', '', []],
])('diffWords(%j, %j)', (before, after, parts) => {
  expect(diffWords(before, after, 'en')).toEqual(parts);
});

test('a space between two replaced words belongs to the change', () => {
  expect(diffWords('they met a tired old man in town today', 'they met a young new man in town today', 'en')).toEqual([
    { text: 'they met a ' },
    { text: 'tired old', mark: 'del' },
    { text: 'young new', mark: 'ins' },
    { text: ' man in town today' },
  ]);
});

test('Japanese is compared by words', () => {
  expect(diffWords('東京は日本の首都です', '東京は日本の都市です', 'ja').filter((p) => p.mark)).toEqual([
    { text: '首都', mark: 'del' },
    { text: '都市', mark: 'ins' },
  ]);
});

test.each([
  ['words in a paragraph', '<p>one two three four</p>', '<p>one two 3 four</p>', '<p>one two <del>three</del><ins>3</ins> four</p>'],
  ['a new paragraph', '<p>one</p><p>three</p>', '<p>one</p><p>two</p><p>three</p>', '<p>one</p><p><ins>two</ins></p><p>three</p>'],
  ['a removed paragraph', '<p>one</p><p>two</p>', '<p>two</p>', '<p><del>one</del></p><p>two</p>'],
  ['bold', '<p>one two three</p>', '<p>one <strong>two</strong> three</p>', '<p>one <mark><strong>two</strong></mark> three</p>'],
  ['bold within a word', '<p>one twofold three</p>', '<p>one two<b>fold</b> three</p>', '<p>one <mark>two<b>fold</b></mark> three</p>'],
  ['the same bold in other elements', '<p><b>one</b><b> two</b> three</p>', '<p><b>one two</b> three</p>', '<p><b>one two</b> three</p>'],
  ['a paragraph that becomes a heading', '<p>one two</p>', '<h2>one two</h2>', '<mark><h2>one two</h2></mark>'],
  ['an item of a list', '<ul><li>a b</li></ul>', '<ul><li>a b</li><li>c</li></ul>', '<ul><li>a b</li><li><ins>c</ins></li></ul>'],
  ['a nested list', '<ul><li>a</li></ul>', '<ul><li>a<ul><li>b</li></ul></li></ul>', '<ul><li>a<ul><li><ins>b</ins></li></ul></li></ul>'],
  [
    'a cell of a table',
    '<table><tbody><tr><td>a</td><td>1</td></tr></tbody></table>',
    '<table><tbody><tr><td>a</td><td>2</td></tr></tbody></table>',
    '<table><tbody><tr><td>a</td><td><del>1</del><ins>2</ins></td></tr></tbody></table>',
  ],
  ['a picture', '<p>a b<img src="1.png"></p>', '<p>a b<img src="2.png"></p>', '<p>a b<del><img></del><ins><img></ins></p>'],
  ['a moved paragraph', '<p>one two</p><p>three four five</p><p>six seven eight</p>', '<p>three four five</p><p>six seven eight</p><p>one two</p>', '<away down: one two><p>three four five</p><p>six seven eight</p><moved><p>one two</p></moved>'],
  ['a moved item', '<ul><li>a b c</li><li>d e</li><li>f</li></ul>', '<ul><li>f</li><li>a b c</li><li>d e</li></ul>', '<ul><moved><li>f</li></moved><li>a b c</li><li>d e</li><away up: f></ul>'],
  ['a split paragraph', '<p>one two three. Four five six.</p>', '<p>one two three.</p><p>Four five six.</p>', '<p>one two three.<del> </del></p><split><p>Four five six.</p>'],
  ['joined paragraphs', '<p>one two three.</p><p>Four five six.</p>', '<p>one two three. Four five six.</p>', '<p>one two three.<joined><ins> </ins>Four five six.</p>'],
  ['another kind of list', '<ul><li>a b</li></ul>', '<ol><li>a b</li></ol>', '<mark><ol><li>a b</li></ol></mark>'],
  [
    'a row and a column of a table',
    '<table><tr><td>a</td><td>b</td></tr><tr><td>c</td><td>d</td></tr></table>',
    '<table><tr><td>a</td><td>x</td><td>b</td></tr><tr><td>m</td><td>n</td><td>o</td></tr><tr><td>c</td><td>y</td><td>d</td></tr></table>',
    '<table><tr><td>a</td><td><ins>x</ins></td><td>b</td></tr><tr><td><ins>m</ins></td><td><ins>n</ins></td><td><ins>o</ins></td></tr><tr><td>c</td><td><ins>y</ins></td><td>d</td></tr></table>',
  ],
  [
    'a removed row beside a new column',
    '<table><tr><td>a</td><td>b</td></tr><tr><td>c</td><td>d</td></tr><tr><td>e</td><td>f</td></tr></table>',
    '<table><tr><td>x</td><td>a</td><td>b</td></tr><tr><td>y</td><td>e</td><td>f</td></tr></table>',
    '<table><tr><td><ins>x</ins></td><td>a</td><td>b</td></tr><tr><gap><td><del>c</del></td><td><del>d</del></td></tr><tr><td><ins>y</ins></td><td>e</td><td>f</td></tr></table>',
  ],
  ['text without elements', 'one two three', 'one 2 three', 'one <del>two</del><ins>2</ins> three'],
  ['no text before', '', '<p>a</p>', '<p><ins>a</ins></p>'],
  ['a new table', '', '<table><tbody><tr><td>a</td></tr></tbody></table>', '<table><tbody><tr><td><ins>a</ins></td></tr></tbody></table>'],
])('%s', (_, before, after, shown) => {
  expect(diff(before, after)).toBe(shown);
});

test.each([
  ['a link', '<a href="/a">here</a>', '<a href="/b">here</a>', [{ kind: 'link', from: { href: '/a' }, to: { href: '/b' } }]],
  ['a new link', 'here', '<a href="/b">here</a>', [{ kind: 'link', from: undefined, to: { href: '/b' } }]],
  ['a link to an entry', '<a href="/a">here</a>', '<a data-entry="5">here</a>', [{ kind: 'link', from: { href: '/a' }, to: { 'data-entry': '5' } }]],
  ['marks', '<b>here</b>', '<em><u>here</u></em>', [{ kind: 'removed', tag: 'b' }, { kind: 'added', tag: 'em' }, { kind: 'added', tag: 'u' }]],
  ['the description of a picture', '<img src="1" alt="a">', '<img src="1" alt="b">', [{ kind: 'attribute', name: 'alt', from: 'a', to: 'b' }]],
])('changed formatting says what changed: %s', (_, before, after, notes) => {
  const [p] = diffRichText(parseHtml(`<p>see ${before}</p>`), parseHtml(`<p>see ${after}</p>`), 'en') as ComparedElement[];
  expect(p!.children[1]).toMatchObject({ notes });
});

test('a changed block says what it was', () => {
  expect(diffRichText(parseHtml('<p>one two</p>'), parseHtml('<h3 dir="rtl">one two</h3>'))).toMatchObject([
    { tag: 'h3', from: { tag: 'p', attrs: {} }, notes: [{ kind: 'block', from: 'p', to: 'h3' }, { kind: 'attribute', name: 'dir', from: undefined, to: 'rtl' }] },
  ]);
});

test('HTML is written as it is read', () => {
  const html = '<p title="a &#34;b&#34; &amp;">1 &lt; 2<br><img src="x"></p><hr>';
  expect(formatHtml(parseHtml(html))).toBe(html);
});

test('without its removed parts, a comparison has the text of the later version', () => {
  const text = (nodes: Compared[]): string => nodes.map((n) => ('text' in n ? n.text : n.mark === 'del' ? '' : text(n.children))).join('|').replaceAll('|', '');
  const words = ['a', 'b', 'c', ' ', '. '];
  let seed = 1;
  const random = (n: number) => (seed = (seed * 48271) % 2147483647) % n;
  const piece = () => Array.from({ length: random(8) }, () => words[random(words.length)]).join('');
  const block = () => [`<p>${piece()}<b>${piece()}</b></p>`, `<h2>${piece()}</h2>`, `<ul><li>${piece()}</li><li>${piece()}<ol><li>${piece()}</li></ol></li></ul>`][random(3)]!;
  for (let i = 0; i < 300; i++) {
    const [before, after] = [0, 1].map(() => Array.from({ length: random(5) }, block).join('')) as [string, string];
    const squeeze = (s: string) => s.replaceAll(/\s+/g, '');
    expect(squeeze(text(diffRichText(parseHtml(before), parseHtml(after))))).toBe(squeeze(plainText(parseHtml(after))));
  }
});
