/** An element of rich text. A string is a text node. */
export type HtmlElement = { tag: string; attrs: Record<string, string>; children: HtmlNode[] };
export type HtmlNode = HtmlElement | string;

const empty = new Set(['br', 'hr', 'img', 'wbr', 'col']);
const entities: Record<string, string> = { amp: '&', lt: '<', gt: '>', quot: '"', apos: "'", nbsp: '\u00a0' };

/**
 * Parses rich text as the API stores it: sanitized, with balanced elements and quoted attributes.
 * The browser's parser cannot be used, because the Content-Security-Policy requires Trusted Types.
 */
export function parseHtml(html: string): HtmlNode[] {
  const root: HtmlElement = { tag: '', attrs: {}, children: [] };
  const open = [root];
  const tags = /<(\/?)([a-z][a-z0-9]*)((?:\s+[^\s=>/]+(?:="[^"]*")?)*)\s*\/?>/gi;
  let at = 0;
  const text = (until: number) => {
    if (until > at) open.at(-1)!.children.push(decode(html.slice(at, until)));
  };
  for (const found of html.matchAll(tags)) {
    text(found.index);
    at = found.index + found[0].length;
    const tag = found[2]!.toLowerCase();
    if (found[1]) {
      const depth = open.findLastIndex((e) => e.tag === tag);
      if (depth > 0) open.length = depth;
      continue;
    }
    const element: HtmlElement = { tag, attrs: attributes(found[3] ?? ''), children: [] };
    open.at(-1)!.children.push(element);
    if (!empty.has(tag)) open.push(element);
  }
  text(html.length);
  return root.children;
}

function attributes(text: string) {
  const attrs: Record<string, string> = {};
  for (const [, name, value] of text.matchAll(/([^\s=]+)(?:="([^"]*)")?/g)) attrs[name!.toLowerCase()] = decode(value ?? '');
  return attrs;
}

function decode(text: string) {
  return text.replace(/&(?:#(\d+)|#x([0-9a-f]+)|(\w+));/gi, (whole, decimal?: string, hex?: string, name?: string) => {
    if (name) return entities[name.toLowerCase()] ?? whole;
    const code = decimal ? Number(decimal) : Number.parseInt(hex!, 16);
    return code <= 0x10ffff ? String.fromCodePoint(code) : whole;
  });
}

/** The text of nodes without their elements. */
export function plainText(nodes: HtmlNode[]): string {
  return nodes.map((n) => (typeof n === 'string' ? n : plainText(n.children))).join('');
}

/** Writes nodes as HTML that parseHtml reads. */
export function formatHtml(nodes: HtmlNode[]): string {
  return nodes
    .map((n) => {
      if (typeof n === 'string') return escape(n);
      const attrs = Object.entries(n.attrs).map(([name, value]) => ` ${name}="${escape(value).replaceAll('"', '&#34;')}"`);
      const inner = formatHtml(n.children);
      return n.tag === '' ? inner : `<${n.tag}${attrs.join('')}>${empty.has(n.tag) ? '' : `${inner}</${n.tag}>`}`;
    })
    .join('');
}

const escape = (text: string) => text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;').replaceAll('\u00a0', '&nbsp;');
