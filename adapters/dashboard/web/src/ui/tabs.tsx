import { useEffect, useRef, type ReactNode } from 'react';
import styles from './ui.module.css';

/** Links to the parts of a page, in a row. The current one is kept in sight where they do not all fit. */
export function Tabs({ label, current, children }: { label: string; current: string; children: ReactNode }) {
  const nav = useRef<HTMLElement>(null);
  const shown = useRef('');
  useEffect(() => {
    const keepInSight = () => {
      const row = nav.current;
      const link = row?.querySelector<HTMLElement>('[aria-current]');
      // Counts that arrive later move the links; a person who scrolls does not.
      const state = `${current} ${row?.scrollWidth}`;
      if (!row || !link || state === shown.current) return;
      shown.current = state;
      row.scrollLeft = link.offsetLeft - row.offsetLeft - (row.clientWidth - link.offsetWidth) / 2;
    };
    // The frame has laid out the page by then; to measure now would have it laid out twice.
    let timer: number;
    const frame = requestAnimationFrame(() => (timer = window.setTimeout(keepInSight)));
    return () => {
      cancelAnimationFrame(frame);
      clearTimeout(timer);
    };
  });
  return (
    <nav className={styles.tabs} aria-label={label} ref={nav}>
      {children}
    </nav>
  );
}
