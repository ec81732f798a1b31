import { useSyncExternalStore } from 'react';

/** Whether the window has room for a panel beside the content; the same width as in the shell's styles. */
export function useRoomForPanel() {
  return useSyncExternalStore(subscribe, () => query.matches);
}

const query = matchMedia('(min-width: 1000.02px)');

function subscribe(listener: () => void) {
  query.addEventListener('change', listener);
  return () => query.removeEventListener('change', listener);
}
