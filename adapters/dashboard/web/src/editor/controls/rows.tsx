import { ArrowDown, ArrowUp, X } from 'lucide-react';
import { useRef, useState, type KeyboardEvent, type ReactNode } from 'react';
import { useTexts } from '../../i18n/language';
import { IconButton } from '../../ui/button';
import { moved } from '../../ui/order';
import styles from '../editor.module.css';

type RowsProps<T> = {
  label: string;
  keys: readonly T[];
  onChange: (next: T[]) => void;
  sortable?: boolean;
  children: (value: T, index: number) => ReactNode;
};

/**
 * The values of a field with several values, in rows. Each row has buttons to move and remove the
 * value; Alt with an arrow key moves it, too.
 */
export function Rows<T>({ label, keys, onChange, sortable = true, children }: RowsProps<T>) {
  const t = useTexts('editor').rows;
  const list = useRef<HTMLUListElement>(null);
  const [said, say] = useState('');
  const move = (from: number, to: number) => {
    if (!sortable || to < 0 || to >= keys.length) return;
    const focused = document.activeElement;
    const place = focused instanceof HTMLElement ? [...(list.current?.children[from]?.querySelectorAll('button, input, textarea, a') ?? [])].indexOf(focused) : -1;
    onChange(moved(keys, from, to));
    say(t.moved(to + 1, keys.length));
    // The focus follows the moved value.
    requestAnimationFrame(() => {
      const controls = list.current?.children[to]?.querySelectorAll<HTMLElement>('button, input, textarea, a');
      const next = controls?.[Math.max(0, place)];
      if (next && !next.hasAttribute('disabled')) next.focus();
      else controls?.[0]?.focus();
    });
  };
  const remove = (index: number) => {
    onChange(keys.toSpliced(index, 1));
    say(t.removed);
    requestAnimationFrame(() => {
      const next = list.current?.children[Math.min(index, keys.length - 2)];
      (next?.querySelector<HTMLElement>('button, input, textarea, a') ?? list.current?.closest('[data-field]')?.querySelector<HTMLElement>('input, textarea, button'))?.focus();
    });
  };
  const onKeyDown = (event: KeyboardEvent, index: number) => {
    if (!event.altKey || (event.key !== 'ArrowUp' && event.key !== 'ArrowDown')) return;
    event.preventDefault();
    move(index, index + (event.key === 'ArrowUp' ? -1 : 1));
  };
  return (
    <>
      <ul className={styles.rows} ref={list} aria-label={label}>
        {keys.map((key, i) => (
          <li key={i} onKeyDown={(event) => onKeyDown(event, i)}>
            {children(key, i)}
            <span className={styles.rowActions}>
              {sortable && keys.length > 1 && (
                <>
                  <IconButton label={t.up(i + 1)} icon={<ArrowUp aria-hidden />} isDisabled={i === 0} onPress={() => move(i, i - 1)} />
                  <IconButton label={t.down(i + 1)} icon={<ArrowDown aria-hidden />} isDisabled={i === keys.length - 1} onPress={() => move(i, i + 1)} />
                </>
              )}
              <IconButton label={t.remove(i + 1)} icon={<X aria-hidden />} onPress={() => remove(i)} />
            </span>
          </li>
        ))}
      </ul>
      <span className="visually-hidden" role="status">
        {said}
      </span>
    </>
  );
}

/** The content of a row for a referenced object, such as another entry. */
export function Row({ icon, title, children }: { icon?: ReactNode; title: string; children?: ReactNode }) {
  return (
    <span className={styles.row}>
      {icon}
      <span className={styles.rowTitle}>{title}</span>
      <span className={styles.rowAside}>{children}</span>
    </span>
  );
}
