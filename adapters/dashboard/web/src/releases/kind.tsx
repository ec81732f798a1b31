import { CircleMinus, CirclePlus, Pencil } from 'lucide-react';
import { useTexts } from '../i18n/language';
import styles from './releases.module.css';
import type { Kind } from './search';

const icons = { new: CirclePlus, changed: Pencil, unpublish: CircleMinus };

/** The icon of what a member changes for readers. The word is beside it. */
export function KindIcon({ kind }: { kind: Kind }) {
  const Icon = icons[kind];
  return (
    <span className={styles.kind} data-kind={kind}>
      <Icon aria-hidden />
    </span>
  );
}

export function KindWord({ kind }: { kind: Kind }) {
  return (
    <span className={styles.kind} data-kind={kind}>
      {useTexts('releases').kinds[kind]}
    </span>
  );
}
