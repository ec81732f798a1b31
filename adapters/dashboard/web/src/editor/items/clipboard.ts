import { admitted, copyOf, isStructured, itemsOf, type Component, type Components, type Field, type Item } from './values';

// Items are copied as JSON text, so that they can be pasted into another entry, translation or window.
// A browser that does not give access to the clipboard uses the storage of the page.

const mark = 'imprimatur/items';
const storageKey = 'imprimatur.items';

type Copied = { [mark]: 1; items: readonly Item[] };

/** The text of copied items. Each item names its component. */
export function writeItems(field: Field, components: Components, items: readonly Item[]): string {
  const copies = items.map((item) => {
    const { _key, ...values } = copyOf(field, components, item);
    return { ...values, _type: field.type === 'group' ? field.component : item._type };
  });
  return JSON.stringify({ [mark]: 1, items: copies } as Copied);
}

export type Pasted = { items: Item[]; /** The names of components that the field does not admit. */ refused: string[] };

/** Reads copied items for a field; undefined if the text has none. Values of fields that the component does not have are left out. */
export function readItems(text: string, field: Field, components: Components): Pasted | undefined {
  let copied: Partial<Copied>;
  try {
    copied = JSON.parse(text);
  } catch {
    return undefined;
  }
  if (copied?.[mark] !== 1 || !Array.isArray(copied.items)) return undefined;
  const items: Item[] = [];
  const refused = new Set<string>();
  for (const item of copied.items as readonly Item[]) {
    const component = components.get(item._type ?? '');
    if (!component || !admitted(field).includes(component.slug)) {
      refused.add(component?.name ?? item._type ?? '?');
      continue;
    }
    items.push(copyOf(field, components, { ...known(component, components, item, refused), _type: component.slug }));
  }
  return { items, refused: [...refused] };
}

/** The values of an item that its component has now. */
function known(component: Component, components: Components, item: Item, refused: Set<string>): Item {
  return Object.fromEntries(
    component.fields.flatMap((f) => {
      const value = item[f.name];
      if (value === undefined) return [];
      if (!isStructured(f)) return [[f.name, value]];
      const inner = itemsOf(value).flatMap((one): Item[] => {
        const slug = f.type === 'group' ? f.component : one._type;
        const its = components.get(slug ?? '');
        if (its && admitted(f).includes(its.slug)) return [{ ...known(its, components, one, refused), ...(f.type === 'blocks' && { _type: its.slug }), ...(one._key && { _key: one._key }) }];
        refused.add(its?.name ?? slug ?? '?');
        return [];
      });
      return [[f.name, f.type === 'blocks' || f.multiple ? inner : (inner[0] ?? null)]];
    }),
  );
}

/** Copies a text, and keeps it in the storage of the page. Returns whether one of both worked. */
export async function copyText(text: string): Promise<boolean> {
  let kept = false;
  try {
    localStorage.setItem(storageKey, text);
    kept = true;
  } catch {
    // The storage is full or forbidden.
  }
  try {
    await navigator.clipboard.writeText(text);
    return true;
  } catch {
    return kept;
  }
}

/** The copied texts, of the clipboard first. */
export async function copiedTexts(): Promise<string[]> {
  const texts: string[] = [];
  try {
    texts.push(await navigator.clipboard.readText());
  } catch {
    // The browser does not give access.
  }
  try {
    texts.push(localStorage.getItem(storageKey) ?? '');
  } catch {
    // The storage is forbidden.
  }
  return texts;
}
