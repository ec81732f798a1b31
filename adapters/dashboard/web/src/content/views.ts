import { parseEntriesSearch, type EntriesSearch } from './search';

/** The parameters of a table's URL, saved under a name. */
export type View = { name: string; search: EntriesSearch };

const key = (collectionId: number) => `imprimatur.views.${collectionId}`;

/** The views of a collection that are stored in this browser, sorted by name. */
export function loadViews(collectionId: number): View[] {
  try {
    const stored: unknown = JSON.parse(localStorage.getItem(key(collectionId)) ?? '[]');
    if (!Array.isArray(stored)) return [];
    return stored.flatMap((view: Partial<View> | null) => (typeof view?.name === 'string' && view.name ? [{ name: view.name, search: parseEntriesSearch({ ...view.search }) }] : []));
  } catch {
    return [];
  }
}

/** Stores a view. It replaces a view of the same name. */
export function saveView(collectionId: number, view: View) {
  const views = [...loadViews(collectionId).filter((v) => v.name !== view.name), view].sort((a, b) => a.name.localeCompare(b.name));
  localStorage.setItem(key(collectionId), JSON.stringify(views));
}

export function deleteView(collectionId: number, name: string) {
  localStorage.setItem(key(collectionId), JSON.stringify(loadViews(collectionId).filter((v) => v.name !== name)));
}

/** Whether two views have the same URL parameters. */
export function sameView(a: EntriesSearch, b: EntriesSearch) {
  const text = (s: EntriesSearch) => JSON.stringify([s.locale, s.state, s.status, s.by, s.outdated, s.q, s.where, s.any, s.sort, s.columns]);
  return text(a) === text(b);
}
