import { X } from 'lucide-react';
import { useSyncExternalStore, type ReactNode } from 'react';
import { useTexts } from '../i18n/language';
import styles from './ui.module.css';

// Short messages below the navigation, or above the page on a phone. They have room of their own, so
// that they never cover a control.

type Message = { id: number; text: ReactNode; action?: { label: string; run: () => void } };

let messages: readonly Message[] = [];
let nextId = 1;
const listeners = new Set<() => void>();
const lifetime = 8_000; // ms

function set(next: readonly Message[]) {
  messages = next;
  listeners.forEach((listener) => listener());
}

const remove = (id: number) => set(messages.filter((m) => m.id !== id));

/** Shows a message for 8 s, with an optional action such as undo. */
export function toast(text: ReactNode, action?: Message['action']) {
  const id = nextId++;
  set([...messages.slice(-2), { id, text, action }]);
  setTimeout(() => remove(id), lifetime);
}

/** The region of the messages. Render it once per application. */
export function Toasts() {
  const t = useTexts('common').toast;
  const shown = useSyncExternalStore(
    (listener) => {
      listeners.add(listener);
      return () => listeners.delete(listener);
    },
    () => messages,
  );
  return (
    <div className={styles.toasts} role="status">
      {shown.map((m) => (
        <div key={m.id}>
          <span>{m.text}</span>
          {m.action && (
            <button
              onClick={() => {
                remove(m.id);
                m.action?.run();
              }}
            >
              {m.action.label}
            </button>
          )}
          <button aria-label={t.close} onClick={() => remove(m.id)}>
            <X aria-hidden />
          </button>
        </div>
      ))}
    </div>
  );
}
