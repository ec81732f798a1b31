import { createContext, useContext, useSyncExternalStore } from 'react';
import type { Schemas } from '../api/client';
import type { EntryStore } from './store';

export type Field = Schemas['Field'];

/** The data that all controls of one entry share. */
export type Editing = {
  store: EntryStore;
  project: Schemas['Project'];
  collection: Schemas['Collection'];
  collections: Schemas['Collection'][];
  locale: string;
};

/** An entry that a relation shows or is to show: one that exists, or a new one, whose id picked gets. */
export type Related = { collection: Schemas['Collection'] } & ({ entryId: number } | { picked: (id: number) => void });

/** Edits a related entry above the page. null where that is not possible, as in a related entry itself. */
export const RelatedContext = createContext<((related: Related) => void) | null>(null);

/** What a control needs of the values around its field: those of the entry, or of an item inside of it. */
export type FieldStore = Pick<EntryStore, 'value' | 'raw' | 'text' | 'fault' | 'subscribe' | 'set' | 'setText' | 'place'>;

export const EditingContext = createContext<Editing | null>(null);

export function useEditing() {
  return useContext(EditingContext)!;
}

/** The values of an item, for the controls of its fields. */
export const ItemContext = createContext<FieldStore | null>(null);

/** The values around a control: those of the item that it is in, else of the entry. */
export function useFields(): FieldStore {
  const { store } = useEditing();
  return useContext(ItemContext) ?? store;
}

/** The value of one field. Changes of other fields do not render the control. */
export function useValue(name: string) {
  const store = useFields();
  return useSyncExternalStore(store.subscribe(name), () => store.value(name));
}

/** The text of a control if it is not a valid value, else undefined. */
export function useText(name: string) {
  const store = useFields();
  return useSyncExternalStore(store.subscribe(name), () => store.text(name));
}

export function useFault(name: string) {
  const store = useFields();
  return useSyncExternalStore(store.subscribe(name), () => store.fault(name)) || undefined;
}

/** What undo can do. Saving does not render the caller. */
export function useUndo(store: EntryStore) {
  return useSyncExternalStore(store.subscribeMeta, () => store.meta().undo);
}

export function useMeta(store: EntryStore) {
  return useSyncExternalStore(store.subscribeMeta, store.meta);
}
