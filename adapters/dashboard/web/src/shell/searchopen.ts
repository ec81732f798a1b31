import { useSyncExternalStore } from 'react';

// Whether the search over everything is open. The button of each page and a key open it.

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

// The field loads when the search is first opened. What a person types meanwhile is for the field,
// not for the keys of the page.

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

/** What was typed before the field was there. From now on the field gets the keys. */
export function takeTyped() {
  document.removeEventListener('keydown', keep, true);
  const text = typed;
  typed = '';
  return text;
}
