import { useSyncExternalStore } from 'react';

// Whether the session ended while the page was open. The dashboard then offers a sign-in beside the
// current page, which keeps its state.

type State = { ended: boolean; asked: boolean };

let state: State = { ended: false, asked: false };
const listeners = new Set<() => void>();

function set(change: Partial<State>) {
  if ((Object.keys(change) as (keyof State)[]).every((name) => state[name] === change[name])) return;
  state = { ...state, ...change };
  listeners.forEach((listener) => listener());
}

export const sessionEnded = () => set({ ended: true });
export const sessionRenewed = () => set({ ended: false, asked: false });

/** Opens or closes the sign-in, at the request of the user. */
export const askSignIn = (asked: boolean) => set({ asked });

const subscribe = (listener: () => void) => {
  listeners.add(listener);
  return () => void listeners.delete(listener);
};

export const useSessionEnded = () => useSyncExternalStore(subscribe, () => state.ended);
export const useSignInAsked = () => useSyncExternalStore(subscribe, () => state.asked);
