// Word writes a list as paragraphs with a style such as "mso-list:l0 level2 lfo1" and a marker as text.

type Item = { p: HTMLElement; level: number; list: string; marker: string };

/** Turns the paragraphs of Word's lists into lists. Styles are in the attribute data-style. */
export function wordLists(body: HTMLElement) {
  let run: Item[] = [];
  const items: Item[][] = [];
  for (const p of body.querySelectorAll<HTMLElement>('p, h1, h2, h3, h4, h5, h6')) {
    const item = itemOf(p);
    if (!item) continue;
    const last = run.at(-1);
    if (!last || !follows(last.p, p)) items.push((run = []));
    run.push(item);
  }
  for (const list of items) build(list);
}

function itemOf(p: HTMLElement): Item | null {
  const match = /mso-list:\s*(l\d+)\s+level(\d+)/i.exec(p.getAttribute('data-style') ?? '');
  if (!match) return null;
  const ignored = [...p.querySelectorAll('[data-style]')].find((e) => /mso-list:\s*ignore/i.test(e.getAttribute('data-style')!));
  const marker = ignored?.textContent?.trim() ?? '';
  ignored?.remove();
  return { p, level: Number(match[2]), list: match[1]!, marker };
}

/** Whether only white space is between two paragraphs. */
function follows(before: Element, p: Element) {
  let node = before.nextSibling;
  while (node && node !== p && node.nodeType !== Node.ELEMENT_NODE && node.textContent!.trim() === '') node = node.nextSibling;
  return node === p;
}

/** The kind of list and the number of a marker such as "·", "2." or "(b)". */
function kindOf(marker: string): { tag: 'ul' | 'ol'; type?: string; start: number } {
  const match = /^\(?(?:\d+\.)*(\d+|[a-z]+)[.)]$/i.exec(marker);
  // A single o is the bullet of the second level.
  if (!match || marker === 'o') return { tag: 'ul', start: 1 };
  const text = match[1]!;
  if (/^\d+$/.test(text)) return { tag: 'ol', start: Number(text) };
  const roman = /^[ivxlcdm]+$/i.test(text) && (text.length > 1 || /^i$/i.test(text));
  const lower = text === text.toLowerCase();
  if (roman) return { tag: 'ol', type: lower ? 'i' : 'I', start: 1 };
  return { tag: 'ol', type: lower ? 'a' : 'A', start: text.length === 1 ? text.toLowerCase().charCodeAt(0) - 96 : 1 };
}

function build(items: Item[]) {
  const page = items[0]!.p.ownerDocument;
  const open: { level: number; list: HTMLElement }[] = [];
  for (const { p, level, marker } of items) {
    const { tag, type, start } = kindOf(marker);
    while (open.length > 0 && open.at(-1)!.level > level) open.pop();
    const same = open.at(-1)?.level === level && open.at(-1)!.list.localName === tag;
    if (!same) {
      if (open.at(-1)?.level === level) open.pop();
      const list = page.createElement(tag);
      if (type) list.setAttribute('type', type);
      if (start !== 1) list.setAttribute('start', String(start));
      const parent = open.at(-1)?.list.lastElementChild;
      if (parent) parent.append(list);
      else p.before(list);
      open.push({ level, list });
    }
    const item = page.createElement('li');
    item.append(...p.childNodes);
    open.at(-1)!.list.append(item);
    p.remove();
  }
}
