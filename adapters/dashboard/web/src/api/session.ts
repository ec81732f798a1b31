import { useSyncExternalStore } from 'react';

// Whether the session ended while the page was open. The dashboard then shows a sign-in form over
// the current page, which keeps its state.

let ended = false;
const listeners = new Set<() => void>();

function set(value: boolean) {
  if (ended === value) return;
  ended = value;
  listeners.forEach((listener) => listener());
}

export const sessionEnded = () => set(true);
export const sessionRenewed = () => set(false);

export function useSessionEnded() {
  return useSyncExternalStore(
    (listener) => {
      listeners.add(listener);
      return () => listeners.delete(listener);
    },
    () => ended,
  );
}
