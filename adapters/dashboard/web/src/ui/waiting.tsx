import { useEffect, useRef, useState, type ReactNode, type RefObject } from 'react';
import { Button } from './button';
import { focusNext } from './focus';
import styles from './ui.module.css';

type WaitingProps = {
  /** The name of the region. */
  label: string;
  children: ReactNode;
  action: string;
  onPress: () => void;
  /** The function of focusBack. */
  back: RefObject<(() => void) | undefined>;
};

/**
 * A question that waits beside the page. It appears when the user stops typing and never takes the focus:
 * what is typed goes where the user types it. back.current() returns the focus to where it was before.
 */
export function Waiting({ label, children, action, onPress, back }: WaitingProps) {
  const paused = useTypingPause(1_000);
  const last = useRef<HTMLElement>(null);
  useEffect(() => {
    back.current = () => {
      const element = last.current;
      focusNext(() => (element?.isConnected ? element : document.getElementById('content')));
    };
  }, [back]);
  useEffect(() => {
    last.current = outside(document.activeElement) ?? null;
    const moved = (event: FocusEvent) => (last.current = outside(event.target as Element) ?? last.current);
    document.addEventListener('focusin', moved);
    document.documentElement.dataset.waiting = 'true'; // leaves room below the focused element
    return () => {
      document.removeEventListener('focusin', moved);
      delete document.documentElement.dataset.waiting;
    };
  }, []);
  if (!paused) return null;
  return (
    <section className={styles.waiting} aria-label={label} data-aside>
      <p role="status">{children}</p>
      <Button kind="primary" onPress={onPress}>
        {action}
      </Button>
    </section>
  );
}

/** An element of the page, not of a question or a dialog. */
const outside = (element: Element | null) => (element instanceof HTMLElement && element !== document.body && !element.closest('[data-aside], [role=dialog]') ? element : undefined);

/** Whether the user has typed nothing for some milliseconds since the component was rendered. It stays true. */
function useTypingPause(pause: number) {
  const [paused, setPaused] = useState(false);
  useEffect(() => {
    if (paused) return;
    let timer = setTimeout(() => setPaused(true), pause);
    const again = () => {
      clearTimeout(timer);
      timer = setTimeout(() => setPaused(true), pause);
    };
    for (const event of ['keydown', 'input', 'compositionupdate']) document.addEventListener(event, again, true);
    return () => {
      clearTimeout(timer);
      for (const event of ['keydown', 'input', 'compositionupdate']) document.removeEventListener(event, again, true);
    };
  }, [paused, pause]);
  return paused;
}
