/** The place of a comment in an entry, as the API has it. */
export type Anchor = { field?: string; key?: string; quote?: { text: string; occurrence: number } };

/** The elements that show what is no part of the snapshot, or not of its text. */
const left = 'del, h2, h3, button, [data-comments], [data-tone]';

/** The text nodes of an element as the snapshot has them: without what was deleted. */
function textNodes(root: Element): Text[] {
  const walker = document.createTreeWalker(root, NodeFilter.SHOW_TEXT);
  const nodes: Text[] = [];
  for (let node = walker.nextNode(); node; node = walker.nextNode()) if (!(node.parentElement?.closest(left) && root.contains(node.parentElement.closest(left)))) nodes.push(node as Text);
  return nodes;
}

/** Where the passage begins in a text, counted as the API does, or -1. */
export function findQuote(text: string, { text: quote, occurrence }: NonNullable<Anchor['quote']>): number {
  let at = 0;
  for (let n = 1; quote !== ''; n++) {
    const found = text.indexOf(quote, at);
    if (found < 0 || n === occurrence) return found;
    at = found + quote.length;
  }
  return -1;
}

/** Which of the passages with the text of quote begins at start. */
export function occurrenceAt(text: string, quote: string, start: number): number {
  let n = 1;
  for (let at = text.indexOf(quote); at >= 0 && at < start; at = text.indexOf(quote, at + quote.length)) n++;
  return n;
}

/** The path of a value, from the elements around node that name fields and items. ends says that node is in an item, but in none of its fields. */
function pathOf(node: Node, root: Element): Anchor | undefined {
  const names: string[] = [];
  let key: string | undefined;
  let inside = true;
  for (let element = node instanceof Element ? node : node.parentElement; element && element !== root; element = element.parentElement) {
    const { name, item } = (element as HTMLElement).dataset;
    if (item !== undefined) {
      if (inside) key = item;
      else names.unshift(`[${item}]`);
    }
    if (name !== undefined) names.unshift(`.${name}`);
    if (name !== undefined || item !== undefined) inside = false;
  }
  const field = names.join('').replace(/^\./, '');
  return field === '' ? undefined : { field, key };
}

/** The place that a selection of the page is in; undefined: not inside of a field of root. */
export function anchorOf(selection: Selection | null, root: Element): (Anchor & { rect: DOMRect }) | undefined {
  if (!selection || selection.rangeCount === 0 || selection.isCollapsed) return undefined;
  const range = selection.getRangeAt(0);
  if (!root.contains(range.commonAncestorContainer)) return undefined;
  const place = pathOf(range.commonAncestorContainer, root);
  if (!place) return undefined;
  const rect = range.getBoundingClientRect();
  const named = (range.commonAncestorContainer instanceof Element ? range.commonAncestorContainer : range.commonAncestorContainer.parentElement)?.closest('[data-name]');
  if (place.key !== undefined || !named) return { ...place, rect };
  let text = '';
  let start = -1;
  let quote = '';
  for (const node of textNodes(named)) {
    if (range.intersectsNode(node)) {
      const from = node === range.startContainer ? range.startOffset : 0;
      const to = node === range.endContainer ? range.endOffset : node.data.length;
      if (to > from) {
        if (start < 0) start = text.length + from;
        quote += node.data.slice(from, to);
      }
    }
    text += node.data;
  }
  const trimmed = quote.trim();
  if (trimmed === '') return { ...place, rect };
  start += quote.indexOf(trimmed);
  return { field: place.field, quote: { text: trimmed, occurrence: occurrenceAt(text, trimmed, start) }, rect };
}

/** The field or item of root that has the focus. */
export function focusedAnchor(root: Element): Anchor | undefined {
  const active = document.activeElement;
  return active && active !== root && root.contains(active) && !active.closest('[data-comments]') ? pathOf(active, root) : undefined;
}

/** The element of a field or an item, by the path of a comment. */
export function elementOf(root: ParentNode, { field = '', key }: Anchor): Element | null {
  let found: ParentNode | null = root;
  for (const [, name, item] of field.matchAll(/([^.[\]]+)(?:\[([^\]]*)\])?/g)) {
    if (name?.startsWith('@')) return null;
    found = found?.querySelector(`[data-name="${CSS.escape(name!)}"]`) ?? null;
    if (item !== undefined) found = found?.querySelector(`[data-item="${CSS.escape(item)}"]`) ?? null;
  }
  if (key !== undefined) found = found?.querySelector(`[data-item="${CSS.escape(key)}"]`) ?? null;
  return found === root ? null : (found as Element | null);
}

/** The part of the page that shows the passage of a comment. */
export function rangeOf(root: ParentNode, anchor: Anchor): Range | undefined {
  const element = anchor.quote && elementOf(root, anchor);
  if (!element) return undefined;
  const nodes = textNodes(element);
  const start = findQuote(nodes.map((n) => n.data).join(''), anchor.quote!);
  if (start < 0) return undefined;
  const range = document.createRange();
  const end = start + anchor.quote!.text.length;
  let at = 0;
  for (const node of nodes) {
    const next = at + node.data.length;
    if (at <= start && start < next) range.setStart(node, start - at);
    if (at < end && end <= next) {
      range.setEnd(node, end - at);
      return range;
    }
    at = next;
  }
  return undefined;
}
