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

export const EditingContext = createContext<Editing | null>(null);

export function useEditing() {
  return useContext(EditingContext)!;
}

/** The value of one field. Changes of other fields do not render the control. */
export function useValue(name: string) {
  const { store } = useEditing();
  return useSyncExternalStore(store.subscribe(name), () => store.value(name));
}

/** The text of a control if it is not a valid value, else undefined. */
export function useText(name: string) {
  const { store } = useEditing();
  return useSyncExternalStore(store.subscribe(name), () => store.text(name));
}

export function useFault(name: string) {
  const { store } = useEditing();
  return useSyncExternalStore(store.subscribe(name), () => store.fault(name)) || undefined;
}

export function useMeta(store: EntryStore) {
  return useSyncExternalStore(store.subscribeMeta, store.meta);
}
