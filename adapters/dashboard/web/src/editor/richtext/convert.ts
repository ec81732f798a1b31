import { DOMParser as Parser, DOMSerializer, type Node } from '@tiptap/pm/model';
import { parseHTML } from './html';
import { isBlank, schema } from './schema';

const parser = Parser.fromSchema(schema);
const serializer = DOMSerializer.fromSchema(schema);

/** Parses the HTML of the API. */
export function docOf(html: string): Node {
  return parser.parse(parseHTML(html));
}

/** Serializes a document to HTML for the API; null if it is blank. */
export function htmlOf(doc: Node): string | null {
  if (isBlank(doc)) return null;
  const page = document.implementation.createHTMLDocument();
  const box = page.createElement('div');
  box.append(serializer.serializeFragment(doc.content, { document: page }));
  for (const upload of box.querySelectorAll('[data-upload]')) upload.remove();
  for (const table of box.querySelectorAll('table')) restoreSections(page, table);
  for (const holder of box.querySelectorAll('[data-opaque]')) holder.replaceWith(...parseHTML(holder.getAttribute('data-opaque')!).childNodes);
  tighten(box, doc);
  return box.innerHTML;
}

/** Moves the rows of a table back into the sections that they were parsed from. */
function restoreSections(page: Document, table: HTMLTableElement) {
  const head = table.getAttribute('data-head');
  table.removeAttribute('data-head');
  const rows = [...table.querySelectorAll<HTMLTableRowElement>('tr[data-section]')].filter((row) => row.closest('table') === table);
  const sections: Element[] = [];
  let last: { name: string; attributes: string; element: Element } | undefined;
  for (const row of rows) {
    const name = row.getAttribute('data-section')!;
    const attributes = row.getAttribute('data-section-keep') ?? '';
    row.removeAttribute('data-section');
    row.removeAttribute('data-section-keep');
    if (!last || last.name !== name || last.attributes !== attributes) {
      const element = page.createElement(/^t(head|body|foot)$/.test(name) ? name : 'tbody');
      for (const [key, value] of Object.entries(attributes ? (JSON.parse(attributes) as Record<string, string>) : {})) element.setAttribute(key, value);
      last = { name, attributes, element };
      sections.push(element);
    }
    last.element.append(row);
  }
  // The parser drops table parts outside a table.
  const before = head ? [...(parseHTML(`<table>${head}</table>`).querySelector('table')?.children ?? [])].filter((c) => c.tagName !== 'TBODY') : [];
  table.replaceChildren(...before, ...sections);
}

/** The paragraphs of an element outside the captions of tables, which are no nodes of a document. */
const paragraphsOf = (box: Element) => [...box.querySelectorAll('p')].filter((p) => !p.closest('caption'));

/** Whether a paragraph may have been bare text. */
const isBare = (node: Node) => node.type.name === 'paragraph' && !node.attrs.written && !node.attrs.keep;

/**
 * Unwraps the paragraphs of a list item, cell or container that the parsed HTML did not have.
 * It visits nodes and elements in parallel.
 */
function tighten(box: Element, doc: Node) {
  const bare: Element[] = [];
  const elements = paragraphsOf(box);
  let index = 0;
  doc.descendants((node, _position, parent, at) => {
    if (node.type.name === 'opaqueBlock' || node.type.name === 'opaqueInline') {
      // Paragraphs inside it are not nodes of the document.
      index += paragraphsOf(parseHTML(node.attrs.html as string)).length;
      return false;
    }
    if (node.type.name !== 'paragraph') return true;
    const element = elements[index++];
    const holds = parent && ['listItem', 'tableCell', 'tableHeader', 'container'].includes(parent.type.name);
    const bareAt = (i: number) => i >= 0 && i < (parent?.childCount ?? 0) && isBare(parent!.child(i));
    // Two of them in a row would become one.
    if (element && holds && isBare(node) && !bareAt(at - 1) && !bareAt(at + 1)) bare.push(element);
    return true;
  });
  for (const element of bare) element.replaceWith(...element.childNodes);
}
