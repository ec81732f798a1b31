import { Schema, type DOMOutputSpec, type MarkSpec, type Node, type NodeSpec, type TagParseRule } from '@tiptap/pm/model';

// The schema covers every element that the API keeps in rich text, so that saving a text loses
// nothing. Content without a control is preserved: other attributes in the attribute "keep" of
// the node, other inline elements in the mark "inline", and structures that cannot be edited
// here, such as description lists, unchanged in "opaque" nodes.

type Attributes = Record<string, string>;

const keep = { keep: { default: null as Attributes | null } };

// The attributes that the API keeps. Others, for example from a pasted page, are dropped.
const allowed = new Set(
  'abbr align alt cite colspan coords data-entry data-media datetime dir headers height href id ismap lang name nowrap open rel rowspan scope shape span src start summary title type reversed usemap valign value width xml:lang'.split(' '),
);

/** The allowed attributes of an element, without those in except; null if there are none. */
function attributesOf(dom: HTMLElement, except: readonly string[] = []): Attributes | null {
  const found = [...dom.attributes].filter((a) => (allowed.has(a.name) || namesLanguage(dom, a)) && !except.includes(a.name));
  return found.length ? Object.fromEntries(found.map((a) => [a.name, a.value])) : null;
}

/** Whether an attribute is the class that names the language of code. */
const namesLanguage = (dom: HTMLElement, { name, value }: Attr) => name === 'class' && dom.tagName === 'CODE' && /^language-\S+$/.test(value);

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

const containers = ['div', 'section', 'article', 'aside', 'hgroup', 'figure', 'figcaption', 'address'];
const inlines = ['span', 'small', 'mark', 'abbr', 'acronym', 'cite', 'q', 'dfn', 'samp', 'var', 'kbd', 'time', 'tt', 'ins', 'bdi', 'bdo', 'a:not([href], [data-entry], [data-media])'];
// Code with markup inside cannot be edited as text.
const opaqueBlocks = ['dl', 'details', 'map', 'pre'];
const opaqueInlines = ['ruby', 'wbr', 'area', 'meter', 'progress'];

/** An element without content that an attribute gives a meaning, such as the target of a link. A mark would need content. */
const emptyInline: TagParseRule = {
  tag: 'a, span, mark, abbr, cite, q, dfn, samp, var, kbd, time, ins, del, b, strong, i, em, u, s, sub, sup, small, code, bdi, bdo',
  priority: 60,
  getAttrs: (dom) => !dom.hasChildNodes() && attributesOf(dom) !== null && { html: dom.outerHTML },
};

const opaque = (inline: boolean, tags: readonly string[]): NodeSpec => ({
  group: inline ? 'inline' : 'block',
  inline,
  atom: true,
  selectable: true,
  attrs: { html: {} },
  parseDOM: [{ tag: '[data-opaque]', priority: 80, getAttrs: (dom) => (dom.tagName === 'SPAN') === inline && { html: dom.getAttribute('data-opaque') } }, ...(inline ? [emptyInline] : []), ...tags.map((tag) => ({ tag, getAttrs: (dom: HTMLElement) => ({ html: dom.outerHTML }) }))],
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
    // inner has the attributes of the only code element inside; null: none.
    attrs: { ...keep, inner: { default: null as Attributes | null } },
    parseDOM: [
      {
        tag: 'pre',
        preserveWhitespace: 'full',
        getAttrs: (dom) => {
          const code = dom.childNodes.length === 1 && dom.firstElementChild?.tagName === 'CODE' ? (dom.firstElementChild as HTMLElement) : null;
          return (code ?? dom).childElementCount === 0 && { keep: attributesOf(dom), inner: code && (attributesOf(code) ?? {}) };
        },
      },
    ],
    toDOM: (node): DOMOutputSpec => (node.attrs.inner ? ['pre', kept(node), ['code', node.attrs.inner as Attributes, 0]] : ['pre', kept(node), 0]),
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
        getAttrs: (dom) => ({ keep: attributesOf(dom), head: dom.getAttribute('data-head') ?? [...dom.children].filter((c) => c.tagName === 'CAPTION' || c.tagName === 'COLGROUP').map((c) => c.outerHTML).join('') }),
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
          return { keep: attributesOf(dom), section: dom.getAttribute('data-section') ?? section?.tagName.toLowerCase() ?? 'tbody', sectionKeep: section && section.tagName !== 'TABLE' ? attributesOf(section) : null };
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
    attrs: { ...keep, src: { default: null as string | null }, alt: { default: null as string | null } },
    parseDOM: [{ tag: 'img[src], img[data-media]', getAttrs: (dom) => ({ src: dom.getAttribute('src'), alt: dom.getAttribute('alt'), keep: attributesOf(dom, ['src', 'alt']) }) }],
    toDOM: ({ attrs, ...node }): DOMOutputSpec => ['img', { ...(attrs.src !== null && { src: attrs.src as string }), ...(attrs.alt !== null && { alt: attrs.alt as string }), ...kept({ attrs, ...node }) }],
  },
  // A file on its way to the library. It is not saved; the picture or the link takes its place.
  upload: {
    inline: true,
    group: 'inline',
    atom: true,
    attrs: { id: {}, alt: { default: '' } },
    parseDOM: [{ tag: 'span[data-upload]', priority: 70, getAttrs: (dom) => ({ id: Number(dom.getAttribute('data-upload')), alt: dom.getAttribute('alt') ?? '' }) }],
    toDOM: (node): DOMOutputSpec => ['span', { 'data-upload': String(node.attrs.id) }],
  },
  break: { inline: true, group: 'inline', selectable: false, linebreakReplacement: true, attrs: keep, parseDOM: [{ tag: 'br', getAttrs: (dom) => ({ keep: attributesOf(dom) }) }], toDOM: (node): DOMOutputSpec => ['br', kept(node)] },
  opaqueInline: opaque(true, opaqueInlines),
  text: { group: 'inline' },
};
const marks: Record<string, MarkSpec> = {
  link: {
    inclusive: false,
    // A link to an entry has no href, and its id in data-entry.
    attrs: { ...keep, href: { default: null as string | null } },
    parseDOM: [{ tag: 'a[href], a[data-entry], a[data-media]', getAttrs: (dom) => ({ href: dom.getAttribute('href'), keep: attributesOf(dom, ['href']) }) }],
    toDOM: (mark): DOMOutputSpec => ['a', { ...(mark.attrs.href !== null && { href: mark.attrs.href as string }), ...kept(mark) }, 0],
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
    if (node.isAtom && !node.isText && node.type.name !== 'break' && node.type.name !== 'upload') blank = false;
    if (node.type.name === 'table') blank = false;
    return blank;
  });
  return blank;
}
