import { useEffect, useLayoutEffect, useState, useSyncExternalStore } from 'react';
import { useTexts } from '../i18n/language';
import { Button, Kbd } from './button';
import { CloseButton, Dialog } from './overlays';
import type { Texts } from '../texts/languages';
import styles from './shortcuts.module.css';

/** A keyboard shortcut: its KeyboardEvent.key, its description, and its action. */
export type Shortcut = { key: string; label: string; run: () => void };

let active: readonly (readonly Shortcut[])[] = [];
const listeners = new Set<() => void>();

function set(next: typeof active) {
  active = next;
  listeners.forEach((listener) => listener());
}

/**
 * Registers shortcuts while the caller is mounted. They are inactive while the user types, while a
 * dialog is open, and with Ctrl, Alt or Meta. The latest registration of a key wins.
 * They are active as soon as the page shows what they act on.
 */
export function useShortcuts(shortcuts: readonly Shortcut[]) {
  useLayoutEffect(() => {
    set([...active, shortcuts]);
    return () => set(active.filter((s) => s !== shortcuts));
  }, [shortcuts]);
}

const offKey = 'imprimatur-keys';
/** Whether the user has switched off the shortcuts of a single letter, all but "?". */
const areOff = () => localStorage.getItem(offKey) === 'off';

function typing(target: EventTarget | null) {
  return target instanceof HTMLElement && target.closest('input, textarea, select, [contenteditable], [role=dialog], [role=listbox], [role=menu]') !== null;
}

/** Handles the registered shortcuts, and lists them on "?". Render it once per application. */
export function Shortcuts({ isOpen, setOpen }: { isOpen: boolean; setOpen: (open: boolean) => void }) {
  const t = useTexts('common').shortcuts;
  const all = useSyncExternalStore(
    (listener) => {
      listeners.add(listener);
      return () => listeners.delete(listener);
    },
    () => active,
  )
    .flat()
    .filter((s, i, list) => list.findLastIndex((other) => other.key === s.key) === i);
  const [off, setOff] = useState(areOff);
  const toggle = () => {
    localStorage.setItem(offKey, off ? '' : 'off');
    setOff(!off);
  };
  useEffect(() => {
    const onKeyDown = (event: KeyboardEvent) => {
      if (event.ctrlKey || event.metaKey || event.altKey || event.defaultPrevented || typing(event.target)) return;
      if (event.key === '?') return setOpen(true);
      if (event.key.length === 1 && areOff()) return;
      // The focused button or link handles Enter.
      if (event.key === 'Enter' && event.target instanceof HTMLElement && event.target.closest('a, button')) return;
      const found = active.flat().findLast((s) => s.key === event.key);
      if (!found) return;
      event.preventDefault();
      found.run();
    };
    document.addEventListener('keydown', onKeyDown);
    return () => document.removeEventListener('keydown', onKeyDown);
  }, [setOpen]);
  return (
    <Dialog title={t.title} isOpen={isOpen} onClose={() => setOpen(false)}>
      <dl className={styles.keys}>
        {[...all.map((s) => ({ keys: [s.key], label: s.label })), ...everywhere(t), { keys: ['?'], label: t.help }].map(({ keys, label }) => (
          <div key={keys.join(' ')}>
            <dt>
              {keys.map((key) => (
                <Kbd key={key}>{names[key] ?? key.toUpperCase()}</Kbd>
              ))}
            </dt>
            <dd>{label}</dd>
          </div>
        ))}
      </dl>
      <footer>
        <Button onPress={toggle}>{off ? t.letters : t.noLetters}</Button>
        <CloseButton />
      </footer>
    </Dialog>
  );
}

/** The keys that controls handle themselves. */
const everywhere = (t: Texts['common']['shortcuts']) => [
  { keys: ['Alt', 'ArrowUp', 'ArrowDown'], label: t.move },
  { keys: ['Shift', 'ArrowUp', 'ArrowDown'], label: t.range },
  { keys: [t.control, 'S'], label: t.save },
  { keys: [t.control, 'Z'], label: t.undo },
  { keys: [t.control, 'Shift', 'Z'], label: t.redo },
  { keys: [t.control, 'A'], label: t.all },
  { keys: ['Escape'], label: t.close },
];

const names: Record<string, string> = { N: 'Shift N', X: 'Shift X', Enter: '↵', ArrowDown: '↓', ArrowUp: '↑', Escape: 'Esc', Alt: 'Alt', Shift: 'Shift', Ctrl: 'Ctrl', Strg: 'Strg' };
