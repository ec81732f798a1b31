import { formatHtml, parseHtml, plainText, type HtmlNode } from '../compare/html';
import { findQuote } from './anchor';

type Quote = { text: string; occurrence: number };

/** The text with the passage replaced; undefined: it is not there. */
export function replaceInText(text: string, quote: Quote, by: string): string | undefined {
  const at = findQuote(text, quote);
  return at < 0 ? undefined : text.slice(0, at) + by + text.slice(at + quote.text.length);
}

/** The rich text with the passage replaced; undefined: it is not there, or not inside of one text node. */
export function replaceInHtml(html: string, quote: Quote, by: string): string | undefined {
  const nodes = parseHtml(html);
  const start = findQuote(plainText(nodes), quote);
  if (start < 0) return undefined;
  let at = 0;
  let done = false;
  const walk = (all: HtmlNode[]): HtmlNode[] =>
    all.map((node) => {
      if (typeof node !== 'string') return { ...node, children: walk(node.children) };
      const from = start - at;
      at += node.length;
      if (from < 0 || from + quote.text.length > node.length) return node;
      done = true;
      return node.slice(0, from) + by + node.slice(from + quote.text.length);
    });
  const after = walk(nodes);
  return done ? formatHtml(after) : undefined;
}

/** The value of a field with the text at the path of a comment changed; undefined: change found nothing to do, or there is no such text. */
export function changeAt(value: unknown, path: string, change: (text: string) => string | undefined): unknown {
  if (path === '') return typeof value === 'string' ? change(value) : undefined;
  const item = /^\[([^\]]*)\]/.exec(path);
  if (item) {
    if (!Array.isArray(value)) return undefined;
    const i = value.findIndex((v: { _key?: unknown } | null) => v?._key === item[1]);
    const next = i < 0 ? undefined : changeAt(value[i], path.slice(item[0].length), change);
    return next === undefined ? undefined : value.with(i, next);
  }
  const name = /^\.?([^.[\]]+)/.exec(path);
  if (!name || value === null || typeof value !== 'object' || Array.isArray(value)) return undefined;
  const next = changeAt((value as Record<string, unknown>)[name[1]!], path.slice(name[0].length), change);
  return next === undefined ? undefined : { ...value, [name[1]!]: next };
}
