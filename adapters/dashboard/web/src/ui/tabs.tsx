import { useEffect, useRef, type ReactNode } from 'react';
import styles from './ui.module.css';

/** Links to the parts of a page, in a row. The current one is kept in sight where they do not all fit. */
export function Tabs({ label, current, children }: { label: string; current: string; children: ReactNode }) {
  const nav = useRef<HTMLElement>(null);
  useEffect(() => {
    const row = nav.current;
    const link = row?.querySelector<HTMLElement>('[aria-current]');
    if (row && link) row.scrollLeft = link.offsetLeft - row.offsetLeft - (row.clientWidth - link.offsetWidth) / 2;
  }, [current]);
  return (
    <nav className={styles.tabs} aria-label={label} ref={nav}>
      {children}
    </nav>
  );
}
