// Rich text as a tree, for components in place of innerHTML.

/** An element of rich text. T is what picture and entry return. */
export interface Element<T = never> {
  tag: string;
  attributes: Record<string, string>;
  children: Node<T>[];
}

/** A text, an element, or what picture or entry returned. */
export type Node<T = never> = string | Element<T> | T;

/** A picture of the library inside of rich text. */
export interface TextPicture {
  /** Its id in the library. */
  media: number;
  src: string | undefined;
  alt: string;
  width: number | undefined;
  height: number | undefined;
  attributes: Record<string, string>;
}

/** A link to an entry. collection and slug are missing if readers do not see the entry. */
export interface EntryLink<T> {
  /** The id of the entry; in changes its translation group. */
  entry: number;
  collection: string | undefined;
  slug: string | undefined;
  children: Node<T>[];
  attributes: Record<string, string>;
}

export interface Handlers<T> {
  picture?(picture: TextPicture): T;
  entry?(link: EntryLink<T>): T;
}

const voids = new Set(["br", "hr", "img", "wbr", "col"]);
const token = /<!--[^]*?-->|<(\/?)([a-zA-Z][a-zA-Z0-9-]*)((?:[^"'>]|"[^"]*"|'[^']*')*)>|[^<]+|</g;
const attribute = /([^\s=/"']+)(?:\s*=\s*(?:"([^"]*)"|'([^']*)'|([^\s"'>]+)))?/g;

/**
 * Returns the nodes of rich text as the API returns it. Handlers replace pictures of the library and links to
 * entries; without a handler they stay elements.
 */
export function richText<T = never>(html: string, handlers: Handlers<T> = {}): Node<T>[] {
  const root: Element<T> = { tag: "", attributes: {}, children: [] };
  const open = [root];
  const top = () => open[open.length - 1]!;
  const close = () => {
    const closed = open.pop()!;
    top().children.push(entryOf(closed, handlers) ?? closed);
  };
  for (const [text, slash, name, rest] of html.matchAll(token)) {
    const tag = name?.toLowerCase();
    if (tag === undefined) {
      if (!text.startsWith("<!--")) top().children.push(decode(text));
    } else if (slash) {
      if (open.some((element, depth) => depth > 0 && element.tag === tag)) {
        while (top().tag !== tag) close();
        close();
      }
    } else {
      const element: Element<T> = { tag, attributes: attributesOf(rest!), children: [] };
      if (voids.has(tag)) top().children.push(pictureOf(element, handlers) ?? element);
      else open.push(element);
    }
  }
  while (open.length > 1) close();
  return root.children;
}

function attributesOf(text: string): Record<string, string> {
  const found: Record<string, string> = {};
  for (const [, name, double, single, bare] of text.matchAll(attribute)) found[name!.toLowerCase()] = decode(double ?? single ?? bare ?? "");
  return found;
}

const whole = (text: string | undefined): number | undefined => (text !== undefined && /^\d+$/.test(text) ? Number(text) : undefined);

function pictureOf<T>({ tag, attributes }: Element<T>, { picture }: Handlers<T>): T | undefined {
  const media = whole(attributes["data-media"]);
  if (tag !== "img" || media === undefined || !picture) return undefined;
  return picture({ media, src: attributes["src"], alt: attributes["alt"] ?? "", width: whole(attributes["width"]), height: whole(attributes["height"]), attributes });
}

function entryOf<T>({ tag, attributes, children }: Element<T>, { entry }: Handlers<T>): T | undefined {
  const id = whole(attributes["data-entry"]);
  if (tag !== "a" || id === undefined || !entry) return undefined;
  return entry({ entry: id, collection: attributes["data-collection"], slug: attributes["data-slug"], children, attributes });
}

const named: Record<string, string> = { amp: "&", lt: "<", gt: ">", quot: '"', apos: "'", nbsp: "\u00a0" };

function decode(text: string): string {
  return text.replace(/&(?:#x([0-9a-f]+)|#(\d+)|([a-z]+));/gi, (all, hex, decimal, name) => {
    if (name) return named[name] ?? all;
    const point = parseInt(hex ?? decimal, hex ? 16 : 10);
    return point <= 0x10ffff ? String.fromCodePoint(point) : all;
  });
}
