import type { ReactNode } from 'react';
import styles from './ui.module.css';

/** Links to the parts of a page, in a row, or in more rows where they do not fit. */
export function Tabs({ label, children }: { label: string; children: ReactNode }) {
  return (
    <nav className={styles.tabs} aria-label={label}>
      {children}
    </nav>
  );
}
