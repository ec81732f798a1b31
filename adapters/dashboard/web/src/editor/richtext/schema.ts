import { Schema, type DOMOutputSpec, type MarkSpec, type Node, type NodeSpec } from '@tiptap/pm/model';

// The schema covers every element that the API keeps in rich text, so that saving a text loses
// nothing. Content without a control is preserved: other attributes in the attribute "keep" of
// the node, other inline elements in the mark "inline", and structures that cannot be edited
// here, such as description lists, unchanged in "opaque" nodes.

type Attributes = Record<string, string>;

const keep = { keep: { default: null as Attributes | null } };

// The attributes that the API keeps. Others, for example from a pasted page, are dropped.
const allowed = new Set(
  'abbr align alt cite colspan coords data-entry data-media datetime dir headers height href id ismap lang name nowrap open rel rowspan scope shape span src start summary title type usemap valign value width xml:lang'.split(' '),
);

/** The allowed attributes of an element, without those in except; null if there are none. */
function attributesOf(dom: HTMLElement, except: readonly string[] = []): Attributes | null {
  const found = [...dom.attributes].filter((a) => allowed.has(a.name) && !except.includes(a.name));
  return found.length ? Object.fromEntries(found.map((a) => [a.name, a.value])) : null;
}

const kept = (node: { attrs: Record<string, unknown> }) => (node.attrs.keep ?? {}) as Attributes;

/** A node that has only the attribute "keep". */
function plain(tag: string, spec: NodeSpec): NodeSpec {
  return { ...spec, attrs: keep, parseDOM: [{ tag, getAttrs: (dom) => ({ keep: attributesOf(dom) }) }], toDOM: (node): DOMOutputSpec => [tag, kept(node), 0] };
}

/** A mark that several elements represent. The parsed element is preserved. */
function marked(tags: readonly [string, ...string[]], spec: MarkSpec = {}): MarkSpec {
  return {
    ...spec,
    attrs: { ...keep, tag: { default: tags[0] } },
    parseDOM: tags.map((tag) => ({ tag, getAttrs: (dom: HTMLElement) => ({ tag, keep: attributesOf(dom) }) })),
    toDOM: (mark): DOMOutputSpec => [mark.attrs.tag as string, kept(mark), 0],
  };
}

const containers = ['div', 'section', 'article', 'aside', 'header', 'footer', 'hgroup', 'figure', 'figcaption'];
const inlines = ['span', 'small', 'mark', 'abbr', 'acronym', 'cite', 'q', 'dfn', 'samp', 'var', 'kbd', 'time', 'tt', 'ins', 'bdi', 'bdo', 'a:not([href])'];
const opaqueBlocks = ['dl', 'details', 'map', 'meter', 'progress'];
const opaqueInlines = ['ruby', 'wbr', 'area'];

const opaque = (inline: boolean, tags: readonly string[]): NodeSpec => ({
  group: inline ? 'inline' : 'block',
  inline,
  atom: true,
  selectable: true,
  attrs: { html: {} },
  parseDOM: tags.map((tag) => ({ tag, getAttrs: (dom: HTMLElement) => ({ html: dom.outerHTML }) })),
  toDOM: (node): DOMOutputSpec => [inline ? 'span' : 'div', { 'data-opaque': node.attrs.html as string }],
});

const cellAttributes = ['colspan', 'rowspan', 'data-colwidth'];

/** A table cell, with the roles and attributes that prosemirror-tables requires. */
function cell(tag: 'td' | 'th', tableRole: string): NodeSpec {
  return {
    content: 'block+',
    tableRole,
    isolating: true,
    attrs: { colspan: { default: 1 }, rowspan: { default: 1 }, colwidth: { default: null }, ...keep },
    parseDOM: [
      {
        tag,
        getAttrs: (dom) => ({ colspan: Number(dom.getAttribute('colspan')) || 1, rowspan: Number(dom.getAttribute('rowspan')) || 1, colwidth: null, keep: attributesOf(dom, cellAttributes) }),
      },
    ],
    toDOM: ({ attrs }): DOMOutputSpec => [
      tag,
      { ...(attrs.colspan !== 1 && { colspan: String(attrs.colspan) }), ...(attrs.rowspan !== 1 && { rowspan: String(attrs.rowspan) }), ...(attrs.keep as Attributes | null) },
      0,
    ],
  };
}

const nodes: Record<string, NodeSpec> = {
  doc: { content: 'block+' },
  paragraph: { ...plain('p', { content: 'inline*', group: 'block' }), attrs: { ...keep, written: { default: false } }, parseDOM: [{ tag: 'p', getAttrs: (dom) => ({ keep: attributesOf(dom), written: true }) }] },
  heading: {
    content: 'inline*',
    group: 'block',
    defining: true,
    attrs: { ...keep, level: { default: 2 } },
    parseDOM: [1, 2, 3, 4, 5, 6].map((level) => ({ tag: `h${level}`, getAttrs: (dom: HTMLElement) => ({ level, keep: attributesOf(dom) }) })),
    toDOM: (node): DOMOutputSpec => [`h${node.attrs.level}`, kept(node), 0],
  },
  blockquote: plain('blockquote', { content: 'block+', group: 'block', defining: true }),
  bulletList: plain('ul', { content: 'listItem+', group: 'block' }),
  orderedList: plain('ol', { content: 'listItem+', group: 'block' }),
  listItem: plain('li', { content: 'block+', defining: true }),
  codeBlock: {
    content: 'text*',
    marks: '',
    group: 'block',
    code: true,
    defining: true,
    attrs: { ...keep, inner: { default: false } },
    parseDOM: [{ tag: 'pre', preserveWhitespace: 'full', getAttrs: (dom) => ({ keep: attributesOf(dom), inner: dom.firstElementChild?.tagName === 'CODE' && dom.childNodes.length === 1 }) }],
    toDOM: (node): DOMOutputSpec => (node.attrs.inner ? ['pre', kept(node), ['code', 0]] : ['pre', kept(node), 0]),
  },
  rule: { group: 'block', attrs: keep, parseDOM: [{ tag: 'hr', getAttrs: (dom) => ({ keep: attributesOf(dom) }) }], toDOM: (node): DOMOutputSpec => ['hr', kept(node)] },
  container: {
    content: 'block+',
    group: 'block',
    defining: true,
    attrs: { ...keep, tag: { default: 'div' } },
    parseDOM: containers.map((tag) => ({ tag, getAttrs: (dom: HTMLElement) => ({ tag, keep: attributesOf(dom) }) })),
    toDOM: (node): DOMOutputSpec => [node.attrs.tag as string, kept(node), 0],
  },
  table: {
    content: 'tableRow+',
    tableRole: 'table',
    isolating: true,
    group: 'block',
    attrs: { ...keep, head: { default: '' } },
    parseDOM: [
      {
        tag: 'table',
        getAttrs: (dom) => ({ keep: attributesOf(dom), head: [...dom.children].filter((c) => c.tagName === 'CAPTION' || c.tagName === 'COLGROUP').map((c) => c.outerHTML).join('') }),
      },
      { tag: 'caption, colgroup', ignore: true },
    ],
    toDOM: (node): DOMOutputSpec => ['table', { ...kept(node), ...(node.attrs.head && { 'data-head': node.attrs.head as string }) }, ['tbody', 0]],
  },
  tableRow: {
    tableRole: 'row',
    content: '(tableCell | tableHeader)*',
    attrs: { ...keep, section: { default: 'tbody' }, sectionKeep: { default: null } },
    parseDOM: [
      {
        tag: 'tr',
        getAttrs: (dom) => {
          const section = dom.parentElement;
          return { keep: attributesOf(dom), section: section?.tagName.toLowerCase() ?? 'tbody', sectionKeep: section && section.tagName !== 'TABLE' ? attributesOf(section) : null };
        },
      },
    ],
    toDOM: (node): DOMOutputSpec => ['tr', { ...kept(node), 'data-section': node.attrs.section as string, ...(node.attrs.sectionKeep && { 'data-section-keep': JSON.stringify(node.attrs.sectionKeep) }) }, 0],
  },
  tableCell: cell('td', 'cell'),
  tableHeader: cell('th', 'header_cell'),
  opaqueBlock: opaque(false, opaqueBlocks),
  image: {
    inline: true,
    group: 'inline',
    draggable: true,
    // A picture of the library has its id in data-media. It has no src when it was deleted.
    attrs: { ...keep, src: { default: null }, alt: { default: '' } },
    parseDOM: [{ tag: 'img[src], img[data-media]', getAttrs: (dom) => ({ src: dom.getAttribute('src'), alt: dom.getAttribute('alt') ?? '', keep: attributesOf(dom, ['src', 'alt']) }) }],
    toDOM: (node): DOMOutputSpec => ['img', { ...(node.attrs.src !== null && { src: node.attrs.src as string }), alt: node.attrs.alt as string, ...kept(node) }],
  },
  break: { inline: true, group: 'inline', selectable: false, linebreakReplacement: true, parseDOM: [{ tag: 'br' }], toDOM: (): DOMOutputSpec => ['br'] },
  opaqueInline: opaque(true, opaqueInlines),
  text: { group: 'inline' },
};
const marks: Record<string, MarkSpec> = {
  link: {
    inclusive: false,
    attrs: { ...keep, href: {} },
    parseDOM: [{ tag: 'a[href]', getAttrs: (dom) => ({ href: dom.getAttribute('href'), keep: attributesOf(dom, ['href']) }) }],
    toDOM: (mark): DOMOutputSpec => ['a', { href: mark.attrs.href as string, ...kept(mark) }, 0],
  },
  strong: marked(['strong', 'b']),
  em: marked(['em', 'i']),
  underline: marked(['u']),
  strike: marked(['s', 'strike', 'del']),
  sub: marked(['sub']),
  sup: marked(['sup']),
  inline: {
    // Several of these marks can be nested around one text.
    excludes: '',
    attrs: { ...keep, tag: {} },
    parseDOM: inlines.map((tag) => ({ tag, getAttrs: (dom: HTMLElement) => ({ tag: dom.tagName.toLowerCase(), keep: attributesOf(dom) }) })),
    toDOM: (mark): DOMOutputSpec => [mark.attrs.tag as string, kept(mark), 0],
  },
  code: marked(['code']),
};

export const schema = new Schema({ nodes, marks });

/** Whether a document has no visible content. */
export function isBlank(doc: Node) {
  if (doc.textContent.trim() !== '') return false;
  let blank = true;
  doc.descendants((node) => {
    if (node.isAtom && !node.isText && node.type.name !== 'break') blank = false;
    if (node.type.name === 'table') blank = false;
    return blank;
  });
  return blank;
}
