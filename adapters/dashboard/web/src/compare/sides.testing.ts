import type { Compared, ComparedElement } from './compared';
import { formatHtml, parseHtml, type HtmlNode } from './html';
import { elements, joined, wordsOf } from './inline';
import { isBlock } from './richtext';

// The two versions of which compared rich text consists, for tests.

/** Applies the marks to the earlier version (side "after") or takes them away (side "before"). */
export function sideOf(nodes: Compared[], side: 'before' | 'after'): HtmlNode[] {
  const moved = new Map<number, ComparedElement>();
  const find = (all: Compared[]) => {
    for (const node of all) {
      if ('text' in node) continue;
      if (node.moved) moved.set(node.moved.id, node);
      find(node.children);
    }
  };
  find(nodes);

  const inner = (all: Compared[]): HtmlNode[] => {
    const found: HtmlNode[] = [];
    for (const node of all) {
      if ('text' in node) {
        found.push(node.text);
        continue;
      }
      if (node.gap || node.mark === (side === 'before' ? 'ins' : 'del')) continue;
      if (node.away) {
        if (side === 'before') found.push(...whole(moved.get(node.away.id)!));
        continue;
      }
      if (node.moved && side === 'before') continue;
      if (node.seam === 'ins' && side === 'before') {
        const last = found.at(-1) as { children: HtmlNode[] };
        last.children.push(...inner(node.children));
        continue;
      }
      found.push(...whole(node));
    }
    return found;
  };
  /** An element, as several if blocks were joined to it. */
  const whole = (node: ComparedElement): HtmlNode[] => {
    if (side === 'before' && node.was) return inner(node.was);
    const { tag, attrs } = side === 'before' && node.from && !node.seam ? node.from : node;
    if (tag === '' && !node.children.some((c) => 'seam' in c)) return inner(node.children);
    const parts = [{ tag, attrs, children: [] as Compared[] }];
    for (const child of node.children) {
      if ('seam' in child && child.seam === 'del') {
        if (side === 'before') parts.push({ ...child.from!, children: [] });
      } else parts.at(-1)!.children.push(child);
    }
    return parts.map((part) => ({ ...part, children: inner(part.children) }));
  };
  return inner(nodes);
}

/** Rich text in a form that is equal for texts that look the same: without space between blocks, and with joined elements. */
export function normal(nodes: HtmlNode[]): string {
  if (!nodes.some(isBlock)) return JSON.stringify(elements(joined(wordsOf(nodes).flatMap((w) => w.runs))));
  const groups: HtmlNode[][] = [];
  for (const node of nodes) {
    const block = isBlock(node);
    if (!block && typeof node === 'string' && !node.trim() && (groups.length === 0 || isBlock(groups.at(-1)![0]!))) continue;
    if (!block && groups.length > 0 && !isBlock(groups.at(-1)![0]!)) groups.at(-1)!.push(node);
    else groups.push([node]);
  }
  return groups.map((g) => (isBlock(g[0]!) ? `<${g[0].tag} ${JSON.stringify(g[0].attrs)}>${normal(g[0].children)}</>` : normal(g))).join('');
}

/** A source of random numbers that gives the same ones for the same seed. */
export function randomOf(seed: number) {
  let state = seed * 7919 + 1;
  const random = (n: number) => (state = (state * 48271) % 2147483647) % n;
  const pick = <T>(all: readonly T[]) => all[random(all.length)]!;
  return { random, pick };
}

const vocabulary = 'harbour ferry council budget river bridge winter school library market garden doctor train village teacher morning evening storm price ticket island museum driver letter window kitchen station holiday weather engine'.split(' ');

/** Random rich text and random edits of it. */
export function writer(seed: number) {
  const { random, pick } = randomOf(seed);
  const word = () => pick(vocabulary) + (random(3) === 0 ? String(random(500)) : '');
  const sentence = (least = 3) => Array.from({ length: least + random(9) }, word).join(' ');
  const inline = () => [sentence(), `${sentence()} <strong>${sentence(1)}</strong> ${sentence()}`, `${sentence()} <a href="https://example.org/${word()}">${word()} ${word()}</a>`, `${sentence()}<br>${sentence()}`, `${sentence()} <img data-media="${1 + random(50)}" alt="${word()}">`][random(5)]!;
  const rows = (n: number, m: number) => Array.from({ length: n }, () => `<tr>${Array.from({ length: m }, () => `<td>${sentence(1)}</td>`).join('')}</tr>`).join('');
  const block = (): string =>
    [
      () => `<p>${inline()}</p>`,
      () => `<p>${inline()}</p>`,
      () => `<h${2 + random(3)}>${sentence()}</h2>`.replace(/<h(\d)>(.*)<\/h2>/, '<h$1>$2</h$1>'),
      () => `<${pick(['ul', 'ol'])}>${Array.from({ length: 1 + random(5) }, () => `<li>${inline()}</li>`).join('')}</ul>`.replace(/^<ol>(.*)<\/ul>$/, '<ol>$1</ol>'),
      () => `<blockquote><p>${inline()}</p><p>${inline()}</p></blockquote>`,
      () => `<table><tbody>${rows(2 + random(4), 2 + random(3))}</tbody></table>`,
    ][random(6)]!();
  const text = (blocks: number) => Array.from({ length: blocks }, block).join('');

  type Element = Exclude<HtmlNode, string>;
  const blocksIn = (nodes: HtmlNode[]) => nodes as Element[];
  /** Moves, inserts or deletes one of several parts. */
  const shuffle = (parts: HtmlNode[], fresh: () => HtmlNode) => {
    const at = random(Math.max(1, parts.length));
    const kind = random(3);
    if (kind === 0) parts.splice(at, 0, fresh());
    else if (kind === 1 && parts.length > 1) parts.splice(at, 1);
    else if (parts.length > 1) parts.splice(random(parts.length), 0, ...parts.splice(at, 1));
  };
  const parsed = (html: string) => parseHtml(html)[0]!;
  const editWords = (element: Element) => {
    const at = element.children.findIndex((c) => typeof c === 'string');
    if (at < 0) return void element.children.push(word());
    const words = (element.children[at] as string).split(' ');
    words.splice(random(words.length), random(2), ...(random(2) ? [word()] : []));
    element.children[at] = words.join(' ');
  };
  const table = (element: Element) => {
    const body = element.children[0] as Element;
    const cell = () => parsed(`<td>${sentence(1)}</td>`);
    const width = (body.children[0] as Element | undefined)?.children.length ?? 2;
    if (random(2)) shuffle(body.children, () => ({ tag: 'tr', attrs: {}, children: Array.from({ length: width }, cell) }));
    const at = random(width + 1);
    const kind = random(4);
    const to = random(width);
    for (const row of blocksIn(body.children)) {
      if (kind === 0) row.children.splice(at, 0, cell());
      if (kind === 1 && width > 1) row.children.splice(at, 1);
      if (kind === 2) row.children.splice(to, 0, ...row.children.splice(at, 1));
    }
    if (body.children.length > 0 && random(2)) editWords(pick(blocksIn(pick(blocksIn(body.children)).children)) ?? (parsed('<td>x</td>') as Element));
  };
  const edits: ((all: HtmlNode[]) => void)[] = [
    (all) => shuffle(all, () => parsed(block())),
    (all) => shuffle(all, () => parsed(block())),
    (all) => {
      // Splits a paragraph, or joins two.
      const at = random(all.length);
      const [one, next] = [all[at] as Element | undefined, all[at + 1] as Element | undefined];
      if (one?.tag !== 'p') return;
      if (next?.tag === 'p' && random(2)) all.splice(at, 2, { ...one, children: [...one.children, ' ', ...next.children] });
      else {
        const words = plain(one).split(' ');
        const middle = 1 + random(Math.max(1, words.length - 1));
        all.splice(at, 1, { ...one, children: [words.slice(0, middle).join(' ')] }, { ...one, children: [words.slice(middle).join(' ')] });
      }
    },
    (all) => {
      const one = pick(blocksIn(all));
      if (!one) return;
      if (one.tag === 'table') return table(one);
      if (one.tag === 'ul' || one.tag === 'ol') return shuffle(one.children, () => parsed(`<li>${inline()}</li>`));
      if (one.tag === 'blockquote') return editWords(pick(blocksIn(one.children)));
      editWords(one);
    },
    (all) => {
      const one = pick(blocksIn(all));
      if (one && /^(p|h\d)$/.test(one.tag)) one.tag = pick(['p', 'h2', 'h3']);
    },
    (all) => {
      const link = all.flatMap((b) => (b as Element).children).find((c) => typeof c !== 'string' && c.tag === 'a') as Element | undefined;
      if (link) link.attrs.href = `https://example.org/${word()}`;
    },
  ];
  const plain = (e: Element): string => e.children.map((c) => (typeof c === 'string' ? c : plain(c))).join('');
  /** The text after a number of random edits. */
  const edited = (html: string, times: number) => {
    const nodes = parseHtml(html);
    for (let i = 0; i < times; i++) pick(edits)(nodes);
    return formatHtml(nodes);
  };
  return { text, block, sentence, edited, random, pick };
}
