import { useEffect, useRef, type ReactNode } from 'react';
import styles from './ui.module.css';

/** A row of links to the parts of a page. If they do not fit, it scrolls to the current one. */
export function Tabs({ label, current, children }: { label: string; current: string; children: ReactNode }) {
  const nav = useRef<HTMLElement>(null);
  const shown = useRef('');
  useEffect(() => {
    const keepInSight = () => {
      const row = nav.current;
      const link = row?.querySelector<HTMLElement>('[aria-current]');
      // Scroll again when late counts change the width, but not after the user has scrolled.
      const state = `${current} ${row?.scrollWidth}`;
      if (!row || !link || state === shown.current) return;
      shown.current = state;
      row.scrollLeft = link.offsetLeft - row.offsetLeft - (row.clientWidth - link.offsetWidth) / 2;
    };
    // Measure after the frame's layout: measuring now would force an additional layout.
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
