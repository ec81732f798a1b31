import { parseHtml, type HtmlElement, type HtmlNode } from './html';

/** The id of the media item that an element names, if any. */
const mediaId = (e: HtmlElement) => (/^\d+$/.test(e.attrs['data-media'] ?? '') ? Number(e.attrs['data-media']) : undefined);

/** The ids of the media items that rich text names. */
export function linkedMedia(html: unknown): number[] {
  const found = new Set<number>();
  const walk = (nodes: HtmlNode[]) => {
    for (const node of nodes) {
      if (typeof node === 'string') continue;
      const id = mediaId(node);
      if (id !== undefined) found.add(id);
      walk(node.children);
    }
  };
  for (const one of Array.isArray(html) ? html : [html]) if (typeof one === 'string' && one.includes('data-media=')) walk(parseHtml(one));
  return [...found];
}

/**
 * Rich text with the URLs of the media items that it names. A version of a request has only their ids; other
 * responses of the API also have what they add to a link, which is removed here, so that both compare as equal.
 */
export function withUrls(nodes: HtmlNode[], urlOf: (id: number) => string | undefined): HtmlNode[] {
  return nodes.map((node) => {
    if (typeof node === 'string') return node;
    const children = withUrls(node.children, urlOf);
    const { 'data-collection': _collection, 'data-slug': _slug, ...attrs } = node.attrs;
    const id = mediaId(node);
    if (id === undefined) return { ...node, attrs, children };
    const fragment = /#.*$/.exec(attrs.href ?? '')?.[0] ?? '';
    if (attrs.src && attrs.width && attrs.height) {
      delete attrs.width;
      delete attrs.height;
    }
    delete attrs.src;
    delete attrs.href;
    const url = urlOf(id);
    if (url) attrs[node.tag === 'img' ? 'src' : 'href'] = node.tag === 'img' ? url : url + fragment;
    return { ...node, attrs, children };
  });
}
