import { useSyncExternalStore } from 'react';

// Whether the global search is open. A button on each page and a shortcut open it.

let isOpen = false;
const listeners = new Set<() => void>();

export function setSearchOpen(next: boolean) {
  isOpen = next;
  typed = '';
  if (isOpen) document.addEventListener('keydown', keep, true);
  else document.removeEventListener('keydown', keep, true);
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

// The code of the search field loads when the search is first opened. Keys typed until then go to
// the field, not to the shortcuts of the page.

let typed = '';

function keep(event: KeyboardEvent) {
  if (event.ctrlKey || event.metaKey || event.altKey) return;
  if (event.key === 'Escape') return setSearchOpen(false);
  if (event.key === 'Backspace') typed = typed.slice(0, -1);
  else if (event.key.length === 1) typed += event.key;
  else return;
  event.preventDefault();
  event.stopPropagation();
}

/** Returns the text typed before the field was ready, and stops capturing keys. */
export function takeTyped() {
  document.removeEventListener('keydown', keep, true);
  const text = typed;
  typed = '';
  return text;
}
