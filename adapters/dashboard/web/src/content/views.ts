import { parseEntriesSearch, type EntriesSearch } from './search';

/** A table's URL under a name. */
export type View = { name: string; search: EntriesSearch };

const key = (collectionId: number) => `imprimatur.views.${collectionId}`;

/** The views of a collection that this browser keeps, by name. */
export function loadViews(collectionId: number): View[] {
  try {
    const stored: unknown = JSON.parse(localStorage.getItem(key(collectionId)) ?? '[]');
    if (!Array.isArray(stored)) return [];
    return stored.flatMap((view: Partial<View> | null) => (typeof view?.name === 'string' && view.name ? [{ name: view.name, search: parseEntriesSearch({ ...view.search }) }] : []));
  } catch {
    return [];
  }
}

/** Keeps a view; one of the same name is replaced. */
export function saveView(collectionId: number, view: View) {
  const views = [...loadViews(collectionId).filter((v) => v.name !== view.name), view].sort((a, b) => a.name.localeCompare(b.name));
  localStorage.setItem(key(collectionId), JSON.stringify(views));
}

export function deleteView(collectionId: number, name: string) {
  localStorage.setItem(key(collectionId), JSON.stringify(loadViews(collectionId).filter((v) => v.name !== name)));
}

/** Whether two tables have the same URL. */
export function sameView(a: EntriesSearch, b: EntriesSearch) {
  const text = (s: EntriesSearch) => JSON.stringify([s.locale, s.state, s.status, s.q, s.where, s.any, s.sort, s.columns]);
  return text(a) === text(b);
}
