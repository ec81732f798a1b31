import { useSyncExternalStore } from 'react';

// Whether the search over everything is open. The button of each page and a key open it.

let isOpen = false;
const listeners = new Set<() => void>();

export function setSearchOpen(next: boolean) {
  isOpen = next;
  listeners.forEach((listener) => listener());
}

export function useSearchOpen() {
  return useSyncExternalStore(
    (listener) => {
      listeners.add(listener);
      return () => listeners.delete(listener);
    },
    () => isOpen,
  );
}
