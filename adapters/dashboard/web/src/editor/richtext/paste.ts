import { parseHTML } from './html';
import { wordLists } from './word';

// Other programs put their own HTML into the clipboard: styles instead of elements, wrappers, ids.
// The functions below turn it into the plain structure that the text needs. Styles are read before
// they go, because they can be all that says that a word is bold.

export type Pasted = {
  html: string;
  /** The elements and attributes that were removed, such as "style (3)". */
  removed: string[];
};

/** HTML that this editor has put into the clipboard. */
const ours = (html: string) => html.includes('data-pm-slice');

/**
 * Cleans pasted HTML. upload is called with each picture whose bytes are in the HTML, and returns the
 * id of its upload. taken has the ids and names of the text that the HTML is pasted into.
 */
export function cleanPasted(html: string, upload: (file: File) => number, taken: ReadonlySet<string> = new Set()): Pasted {
  // The Content-Security-Policy would report each style, so that they are read from elsewhere.
  let sheet = '';
  const unstyled = html.replace(/<style\b[^>]*>([\s\S]*?)(?:<\/style\s*>|$)/gi, (_, rules: string) => ((sheet += rules), ''));
  const body = parseHTML(unstyled.replace(/<[a-z][^>]*>/gi, (tag) => tag.replace(/(\s)style(\s*=)/gi, '$1data-style$2').replace(/\son\w+(?=\s*=)/gi, ' data-event')));
  if (ours(html)) {
    for (const element of body.querySelectorAll('[data-style]')) element.removeAttribute('data-style');
    uniqueTargets(body, taken);
    return { html: body.innerHTML, removed: [] };
  }
  const removed = new Map<string, number>();
  const count = (name: string) => void removed.set(name, (removed.get(name) ?? 0) + 1);
  applyRules(body, sheet);
  dropActive(body, count);
  settleDirection(body);
  wordLists(body);
  takePictures(body, upload, count);
  for (const element of body.querySelectorAll('*')) styleToElements(element);
  simplify(body);
  for (const element of body.querySelectorAll('*')) dropAttributes(element, count);
  uniqueTargets(body, taken);
  return { html: body.innerHTML, removed: [...removed].sort(([, a], [, b]) => b - a).map(([name, n]) => (n > 1 ? `${name} (${n})` : name)) };
}

type Styles = Map<string, string>;

const stylesOf = (text: string | null): Styles =>
  new Map((text ?? '').split(';').flatMap((part) => (part.includes(':') ? [[part.slice(0, part.indexOf(':')).trim().toLowerCase(), part.slice(part.indexOf(':') + 1).trim().toLowerCase()] as const] : [])));

/** Gives elements the styles that a style sheet in the HTML has for their class, as Excel and Pages write them. */
function applyRules(body: HTMLElement, sheet: string) {
  for (const [, selectors, rules] of sheet.replace(/<!--|-->|\/\*[\s\S]*?\*\//g, '').matchAll(/([^{}]+)\{([^{}]*)\}/g)) {
    for (const [, tag, name] of selectors!.matchAll(/(?:^|,)\s*(td|th|span)?\.([\w-]+)\s*(?=,|$)/gi)) {
      for (const element of body.getElementsByClassName(name!)) {
        const inline = /^(td|th|span)$/i.test(element.tagName) && (!tag || tag.toLowerCase() === element.tagName.toLowerCase());
        if (inline) element.setAttribute('data-style', `${rules};${element.getAttribute('data-style') ?? ''}`);
      }
    }
  }
}

const active = 'script, iframe, frame, frameset, object, embed, applet, video, audio, canvas, svg, math, input, button, select, textarea, dialog, template, noscript';

/** Removes what rich text cannot contain, and what no reader would see. */
function dropActive(body: HTMLElement, count: (name: string) => void) {
  const comments = body.ownerDocument.createNodeIterator(body, NodeFilter.SHOW_COMMENT);
  for (let node = comments.nextNode(); node; node = comments.nextNode()) (node as Comment).remove();
  for (const element of body.querySelectorAll('meta, link, title, base, head, xml')) element.remove();
  for (const element of body.querySelectorAll(active)) {
    if (!body.contains(element)) continue;
    count(element.localName);
    if (inLine(element.previousSibling) && inLine(element.nextSibling)) element.replaceWith(' ');
    else element.remove();
  }
}

/** Removes directions and languages that say nothing: those of the elements around them, and left to right as it is anyway. */
function settleDirection(body: HTMLElement) {
  const around = (element: Element, name: string) => element.parentElement?.closest(`[${name}]`)?.getAttribute(name)?.toLowerCase();
  const outer = body.getAttribute('dir')?.toLowerCase();
  if (outer === 'rtl') for (const element of body.children) if (!element.hasAttribute('dir') && element.matches(blocks)) element.setAttribute('dir', outer);
  body.removeAttribute('dir');
  // From the inside out, because what is around an element decides.
  for (const element of [...body.querySelectorAll('[dir]')].reverse()) {
    const known = outer === 'rtl' && element.parentElement === body ? undefined : (around(element, 'dir') ?? 'ltr');
    if (element.getAttribute('dir')!.toLowerCase() === known) element.removeAttribute('dir');
  }
  for (const element of [...body.querySelectorAll('[lang]')].reverse()) {
    const lang = element.getAttribute('lang')!.toLowerCase();
    if (lang === '' || lang === 'x-none' || lang === 'zxx' || lang === around(element, 'lang')) element.removeAttribute('lang');
  }
}

/** Gives pasted elements other ids and names than those that are taken. The pasted links follow. */
function uniqueTargets(body: HTMLElement, taken: ReadonlySet<string>) {
  const all = new Set(taken);
  for (const element of body.querySelectorAll('[id], [name]')) for (const name of targetsOf(element)) all.add(name);
  const used = new Set(taken);
  const renamed = new Map<string, string>();
  for (const element of body.querySelectorAll('[id], [name]')) {
    // An anchor can have the same id and name.
    const own = new Map<string, string>();
    for (const name of targetsOf(element)) {
      let unique = name;
      for (let n = 2; used.has(name) && all.has(unique); n++) unique = `${name}-${n}`;
      own.set(name, unique);
      if (!renamed.has(name)) renamed.set(name, unique);
    }
    for (const [name, unique] of own) {
      for (const attribute of ['id', 'name']) if (element.getAttribute(attribute) === name) element.setAttribute(attribute, unique);
      used.add(unique);
      all.add(unique);
    }
  }
  for (const link of body.querySelectorAll('a[href^="#"]')) {
    const href = link.getAttribute('href')!;
    const target = renamed.get(href.slice(1)) ?? renamed.get(decoded(href.slice(1)));
    if (target !== undefined) link.setAttribute('href', `#${target}`);
  }
  for (const cell of body.querySelectorAll('[headers]')) {
    const names = cell.getAttribute('headers')!.split(/\s+/);
    cell.setAttribute('headers', names.map((name) => renamed.get(name) ?? name).join(' '));
  }
}

function decoded(fragment: string) {
  try {
    return decodeURIComponent(fragment);
  } catch {
    return fragment;
  }
}

/** The names by which links find an element. */
export const targetsOf = (element: Element) => new Set([element.getAttribute('id'), element.matches('a') ? element.getAttribute('name') : null].filter((name) => name !== null && name !== '')) as Set<string>;

/** Replaces pictures by their uploads where the HTML has their bytes, and removes those that cannot be loaded. */
function takePictures(body: HTMLElement, upload: (file: File) => number, count: (name: string) => void) {
  for (const image of body.querySelectorAll('img')) {
    const source = image.getAttribute('src')?.trim() ?? '';
    const file = fileOf(source, image.getAttribute('alt') ?? '');
    if (file) {
      const holder = body.ownerDocument.createElement('span');
      holder.setAttribute('data-upload', String(upload(file)));
      holder.setAttribute('alt', image.getAttribute('alt') ?? '');
      image.replaceWith(holder);
    } else if (!/^(https?:|\/|[^:]+$)/i.test(source) && !image.hasAttribute('data-media')) {
      count(source ? `img ${source.slice(0, source.indexOf(':') + 1).slice(0, 20)}` : 'img');
      image.remove();
    }
  }
}

/** The file of a data URI of a picture; null for another address. */
function fileOf(source: string, name: string): File | null {
  const match = /^data:(image\/([\w.+-]+))(?:;(?!base64,)[\w=.-]+)*(;base64)?,([\s\S]*)$/i.exec(source);
  if (!match) return null;
  const [, type, kind, base64, data] = match;
  try {
    const text = decodeURIComponent(data!);
    const bytes = base64 ? Uint8Array.from(atob(text.replace(/\s/g, '')), (c) => c.charCodeAt(0)) : new TextEncoder().encode(text);
    const extension = kind!.toLowerCase().replace('svg+xml', 'svg').replace('jpeg', 'jpg');
    return new File([bytes], `${name.replace(/[\\/\p{Cc}]/gu, ' ').trim().slice(0, 80) || 'picture'}.${extension}`, { type });
  } catch {
    return null;
  }
}

const inlines = 'span, font, b, strong, i, em, u, s, strike, del, a, code, sub, sup, td, th';

/** Turns the styles of an inline element or a cell into elements, and removes elements whose style says the opposite. */
function styleToElements(element: Element) {
  if (!element.matches(inlines)) return;
  const styles = stylesOf(element.getAttribute('data-style'));
  const weight = styles.get('font-weight');
  const bold = weight === undefined ? undefined : weight === 'bold' || weight === 'bolder' || Number(weight) >= 600;
  const slant = styles.get('font-style');
  const italic = slant === undefined ? undefined : slant === 'italic' || slant.startsWith('oblique');
  const line = `${styles.get('text-decoration') ?? ''} ${styles.get('text-decoration-line') ?? ''}`;
  const heading = element.closest('h1, h2, h3, h4, h5, h6, th') !== null;
  const rise = styles.get('vertical-align');
  const wrap = (tag: string, if_: boolean | undefined) => if_ && !element.closest(tag === 'strong' ? 'strong, b' : tag === 'em' ? 'em, i' : tag) && inside(element, tag);
  if (element.matches('span, font, a, td, th')) {
    wrap('strong', bold && !heading);
    wrap('em', italic);
    wrap('u', line.includes('underline') && element.closest('a') === null && element.querySelector('a') === null);
    wrap('s', line.includes('line-through'));
    wrap('sup', rise === 'super');
    wrap('sub', rise === 'sub');
  }
  const denied = (element.matches('b, strong') && (bold === false || heading)) || (element.matches('i, em') && italic === false) || (element.matches('u') && (element.closest('a') ?? element.querySelector('a')) !== null);
  if (denied) unwrap(element);
  else if (element.matches('span, font') && !element.hasAttribute('data-upload')) {
    if (!['id', 'lang', 'dir'].some((name) => element.getAttribute(name))) unwrap(element);
    else if (element.matches('font')) rename(element, 'span');
  }
}

/** Moves the content of an element into a new element inside it. */
function inside(element: Element, tag: string) {
  if (element.textContent?.trim() === '') return;
  const inner = element.ownerDocument.createElement(tag);
  inner.append(...element.childNodes);
  element.append(inner);
}

/** Replaces an element by its content. A target of a link and a direction stay. */
function unwrap(element: Element) {
  for (const name of ['id', 'dir', 'lang']) {
    const value = element.getAttribute(name);
    const heirs = name === 'id' ? [element.firstElementChild] : [...element.children];
    if (value && !element.id.startsWith('docs-internal-guid')) for (const heir of heirs) if (heir?.matches(blocks) && !heir.hasAttribute(name)) heir.setAttribute(name, value);
  }
  element.replaceWith(...element.childNodes);
}

/** Whether a node is text, or an element in a line of text. */
const inLine = (node: Node | null): boolean => node !== null && (node.nodeType === Node.TEXT_NODE ? node.textContent!.trim() !== '' : node.nodeType === Node.ELEMENT_NODE && !(node as Element).matches(blocks) && (node as Element).localName !== 'br');

/** Replaces a block by its content, of which bare text becomes paragraphs, so that it does not join the text around the block. */
function unwrapBlock(element: Element) {
  let paragraph: HTMLElement | undefined;
  for (const node of Array.from(element.childNodes)) {
    if (inLine(node) || (paragraph && node.nodeType === Node.TEXT_NODE)) {
      if (!paragraph) node.before((paragraph = element.ownerDocument.createElement('p')));
      paragraph.append(node);
    } else paragraph = undefined;
  }
  unwrap(element);
}

const blocks = 'p, div, h1, h2, h3, h4, h5, h6, ul, ol, li, dl, dt, dd, blockquote, pre, table, caption, thead, tbody, tfoot, tr, td, th, figure, figcaption, hr, address, details, summary, section, article, aside, header, footer, main, nav, center';

/** Removes wrappers and empty elements, and turns blocks of bare text into paragraphs. */
function simplify(body: HTMLElement) {
  for (const element of body.querySelectorAll('o\\:p, label, small > small')) unwrap(element);
  for (const element of body.querySelectorAll('center, main, nav, header, footer, section, article, aside, hgroup, form, fieldset, legend')) rename(element, 'div');
  for (const element of body.querySelectorAll('colgroup, col')) element.remove();
  for (const anchor of body.querySelectorAll('a:not([href], [data-entry], [data-media], [id], [name])')) unwrap(anchor);
  // From the inside out, so that a wrapper of blocks is seen as such.
  for (const div of [...body.querySelectorAll('div')].reverse()) {
    if (div.querySelector(blocks)) unwrapBlock(div);
    else rename(div, 'p');
  }
  for (const b of body.querySelectorAll('b, strong, i, em')) if (b.querySelector(blocks)) unwrap(b);
  for (const br of body.querySelectorAll('br')) if (besideBlocks(br)) br.remove();
  for (const p of body.querySelectorAll('p')) {
    if (!blank(p)) continue;
    if (inLine(p.previousSibling) && inLine(p.nextSibling)) p.replaceWith(body.ownerDocument.createElement('br'));
    else p.remove();
  }
  for (const p of body.querySelectorAll('td > p:only-child, th > p:only-child, li > p')) {
    const others = [...p.parentElement!.childNodes].filter((c) => c !== p && !(c.nodeType === Node.TEXT_NODE ? c.textContent!.trim() === '' : (c as Element).matches('ul, ol')));
    if (others.length > 0) continue;
    for (const name of ['dir', 'lang', 'id']) if (p.hasAttribute(name) && !p.parentElement!.hasAttribute(name)) p.parentElement!.setAttribute(name, p.getAttribute(name)!);
    unwrap(p);
  }
  for (const inline of [...body.querySelectorAll('b, strong, i, em, u, s, sub, sup')].reverse()) if (inline.textContent === '' && !inline.querySelector('img, br, a, [id], [data-upload]')) inline.remove();
  body.normalize();
}

/** Whether an element shows nothing. Programs write empty paragraphs for space between others. */
const blank = (element: Element) => element.textContent!.replace(/[\s\u00a0\u200b]/g, '') === '' && !element.querySelector('img, hr, table, [id], a[name], [data-upload]');

/** Whether a line break is only space between blocks. */
function besideBlocks(br: Element) {
  const neighbour = (from: Element, step: 'previousSibling' | 'nextSibling') => {
    let node = from[step];
    while (node && node.nodeType === Node.TEXT_NODE && node.textContent!.trim() === '') node = node[step];
    return node;
  };
  const [before, after] = [neighbour(br, 'previousSibling'), neighbour(br, 'nextSibling')];
  const isBlock = (node: ChildNode | null) => node !== null && node.nodeType === Node.ELEMENT_NODE && (node as Element).matches(blocks);
  const outer = br.parentElement?.localName === 'body';
  return isBlock(before) || isBlock(after) || (outer && (before === null || after === null)) || br.classList.contains('Apple-interchange-newline') || (after === null && br.parentElement?.matches('li, td, th, p, h1, h2, h3, h4, h5, h6') === true);
}

function rename(element: Element, tag: string) {
  const named = element.ownerDocument.createElement(tag);
  for (const name of ['id', 'dir', 'lang']) if (element.hasAttribute(name)) named.setAttribute(name, element.getAttribute(name)!);
  named.append(...element.childNodes);
  element.replaceWith(named);
}

const keptAttributes = new Set('href src alt title colspan rowspan scope start reversed data-media data-entry data-upload datetime cite open id lang dir abbr headers value type'.split(' '));
const silent = new Set(['data-style', 'data-event']);

/** Removes the attributes that the text does not need. */
function dropAttributes(element: Element, count: (name: string) => void) {
  for (const name of element.getAttributeNames()) {
    const value = element.getAttribute(name)!;
    const needed = (keptAttributes.has(name) && (name !== 'type' || element.matches('ol, ul, li')) && (name !== 'value' || element.matches('li'))) || (name === 'name' && element.matches('a')) || (name === 'class' && element.matches('code') && /^language-\S+$/.test(value));
    const noise = name === 'id' && value.startsWith('docs-internal-guid');
    const trivial = (name === 'colspan' || name === 'rowspan' || name === 'start') && value === '1';
    if (needed && !trivial && !noise) continue;
    element.removeAttribute(name);
    if (!silent.has(name) && !trivial) count(name);
    else if (name === 'data-style') count('style');
  }
}
