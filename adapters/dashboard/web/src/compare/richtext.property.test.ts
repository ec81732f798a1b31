import { describe, expect, test } from 'vitest';
import type { Compared, ComparedElement } from './compared';
import { Effort } from './effort';
import { parseHtml, plainText, type HtmlNode } from './html';
import { diffRichText } from './richtext';
import { normal, sideOf, writer } from './sides.testing';

/** All elements of compared text that have a mark of any kind. */
function changes(nodes: Compared[]): ComparedElement[] {
  return nodes.flatMap((n) => ('text' in n ? [] : [...(n.mark || n.notes || n.moved || n.away || n.seam ? [n] : []), ...changes(n.children)]));
}

const textOf = (n: Compared): string => ('text' in n ? n.text : n.children.map(textOf).join(''));

const timeout = 60_000; // ms

describe('random edits', () => {
  test.each([0, 1, 2, 3])('the marks, applied to the earlier text, give the later one (%i)', { timeout }, (part) => {
    for (let seed = part * 40; seed < part * 40 + 40; seed++) {
      const { text, edited, random } = writer(seed);
      const was = text(1 + random(12));
      const is = random(12) === 0 ? text(random(6)) : edited(was, 1 + random(6));
      const [before, after] = [parseHtml(was), parseHtml(is)];
      const marks = diffRichText(before, after, 'en');
      expect(normal(sideOf(marks, 'before')), `seed ${seed}: ${was} -> ${is}`).toBe(normal(before));
      expect(normal(sideOf(marks, 'after')), `seed ${seed}: ${was} -> ${is}`).toBe(normal(after));
    }
  });

  test('blocks that did not change are never marked', { timeout }, () => {
    for (let seed = 0; seed < 100; seed++) {
      const { text, edited, random } = writer(seed);
      const was = text(2 + random(10));
      const [before, after] = [parseHtml(was), parseHtml(edited(was, 1 + random(4)))];
      const keys = (nodes: HtmlNode[]) => nodes.map((n) => JSON.stringify(n));
      const count = (nodes: HtmlNode[], key: string) => keys(nodes).filter((k) => k === key).length;
      for (const node of diffRichText(before, after, 'en') as ComparedElement[]) {
        if (node.seam || node.away || changes(node.children).some((c) => c.seam)) continue;
        if (!node.mark && !node.notes && changes(node.children).length === 0) continue;
        // A block that both versions have equally often has no mark; at most it was moved.
        const own = [...sideOf([{ ...node, moved: undefined }], 'before'), ...sideOf([{ ...node, moved: undefined }], 'after')];
        for (const key of keys(own)) if (count(before, key) > 0) expect(count(before, key), `seed ${seed}: ${key}`).not.toBe(count(after, key));
      }
    }
  });

  test('a moved paragraph beside other edits is moved, and not deleted and inserted', { timeout }, () => {
    for (let seed = 0; seed < 60; seed++) {
      const { sentence, random } = writer(seed);
      const paragraphs = Array.from({ length: 5 + random(10) }, (_, i) => `${sentence(6)} number${i}`);
      const from = random(paragraphs.length);
      const after = [...paragraphs];
      const [moved] = after.splice(from, 1);
      const to = (from + 2 + random(Math.max(1, after.length - 3))) % (after.length + 1);
      after.splice(to, 0, moved!);
      const edited = (to + 2) % after.length;
      if (after[edited] === moved) continue;
      after[edited] = `${after[edited]} and more words`;
      const html = (all: string[]) => parseHtml(all.map((p) => `<p>${p}</p>`).join(''));
      const found = changes(diffRichText(html(paragraphs), html(after), 'en'));
      expect(found.filter((c) => c.mark === 'del'), `seed ${seed}`).toEqual([]);
      expect(found.filter((c) => c.mark === 'ins').map((c) => c.children.map(textOf).join('').trim()), `seed ${seed}`).toEqual(['and more words']);
      expect(found.filter((c) => c.moved).length, `seed ${seed}`).toBeGreaterThan(0);
    }
  });

  test('a row inserted together with a column marks their cells and no other', { timeout }, () => {
    for (let seed = 0; seed < 60; seed++) {
      const { sentence, random } = writer(seed);
      const [rows, columns] = [2 + random(6), 2 + random(5)];
      const cells = Array.from({ length: rows }, (_, r) => Array.from({ length: columns }, (_, c) => `${sentence(1)} ${r}x${c}`));
      const html = (all: string[][]) => parseHtml(`<table><tbody>${all.map((row) => `<tr>${row.map((c) => `<td>${c}</td>`).join('')}</tr>`).join('')}</tbody></table>`);
      const after = cells.map((row) => [...row]);
      const column = random(columns + 1);
      after.forEach((row, r) => row.splice(column, 0, `fresh column ${r}`));
      after.splice(random(rows + 1), 0, Array.from({ length: columns + 1 }, (_, c) => `fresh row ${c}`));
      const found = changes(diffRichText(html(cells), html(after), 'en'));
      expect(found.filter((c) => c.mark !== 'ins'), `seed ${seed}`).toEqual([]);
      expect(found.filter((c) => c.tag === 'tr').length, `seed ${seed}`).toBe(1);
      expect(found.filter((c) => c.tag === 'td').length, `seed ${seed}`).toBe(rows);
    }
  });
});

describe('the cost is bounded', () => {
  const size = 50_000;
  const fill = (part: (i: number) => string) => {
    let html = '';
    for (let i = 0; html.length < size; i++) html += part(i);
    return html;
  };
  const { sentence, edited, random } = writer(1);
  const scrambled = (words: string[]) => words.map((w) => [random(1_000_000), w] as const).sort((p, q) => p[0] - q[0]).map((p) => p[1]);
  const long = fill(() => `${sentence(8)} `);
  const paragraphs = fill(() => `<p>${sentence(8)}</p>`);
  const tiny = fill((i) => `<p>${i}</p>`);
  test.each([
    ['many edits', paragraphs, edited(paragraphs, 60)],
    ['one long paragraph in another order', `<p>${long}</p>`, `<p>${scrambled(long.split(' ')).join(' ')}</p>`],
    ['two letters', `<p>${fill(() => 'a b ')}</p>`, `<p>${fill((i) => (i % 3 ? 'b a ' : 'a a '))}</p>`],
    ['thousands of tiny blocks, reversed', tiny, tiny.split('</p>').reverse().filter(Boolean).map((p) => `${p}</p>`).join('')],
    ['thousands of blank blocks', fill(() => '<p></p>'), fill((i) => (i % 2 ? '<p></p>' : '<p>a</p>'))],
    ['another text', paragraphs, fill(() => `<p>${sentence(8).toUpperCase()}</p>`)],
    ['paragraphs in another order', paragraphs, scrambled(paragraphs.split('</p>').filter(Boolean).map((p) => `${p}</p>`)).join('')],
    ['a wide table, transposed', `<table>${fill((i) => `<tr>${Array.from({ length: 20 }, (_, c) => `<td>${i} ${c}</td>`).join('')}</tr>`)}</table>`, `<table>${fill((i) => `<tr>${Array.from({ length: 20 }, (_, c) => `<td>${c} ${i}</td>`).join('')}</tr>`)}</table>`],
    ['deep', `${'<blockquote>'.repeat(60)}<p>${long.slice(0, 20_000)}</p>${'</blockquote>'.repeat(60)}`, `${'<blockquote>'.repeat(59)}<p>${long.slice(10, 20_000)}</p>${'</blockquote>'.repeat(59)}`],
  ])('%s', { timeout }, (_, was, is) => {
    const effort = new Effort();
    const [before, after] = [parseHtml(was), parseHtml(is)];
    const marks = diffRichText(before, after, 'en', effort);
    expect(effort.spent).toBeLessThan(2 * effort.limit);
    expect(plainText(sideOf(marks, 'after')).replaceAll(/\s/g, '')).toBe(plainText(after).replaceAll(/\s/g, ''));
    expect(plainText(sideOf(marks, 'before')).replaceAll(/\s/g, '')).toBe(plainText(before).replaceAll(/\s/g, ''));
  });
});
