import { Check } from 'lucide-react';
import { useRef } from 'react';
import styles from './ui.module.css';

type SelectBoxProps = { label: string; isSelected: boolean; excludeFromTabOrder?: boolean; className?: string; /** range: Shift is held, which selects from the last item to this one. */ onToggle: (range: boolean) => void };

/**
 * The checkbox that selects an item of a list. It is a native one: lists have many. The input itself covers the
 * label, because browsers ignore a click on a label with Shift.
 */
export function SelectBox({ label, isSelected, excludeFromTabOrder, className, onToggle }: SelectBoxProps) {
  const range = useRef(false);
  const note = (event: { shiftKey: boolean }) => (range.current = event.shiftKey);
  return (
    <span className={className} onPointerDownCapture={note} onKeyDownCapture={note}>
      <label className={styles.check} data-selected={isSelected || undefined}>
        <input type="checkbox" aria-label={label} checked={isSelected} onChange={() => onToggle(range.current)} tabIndex={excludeFromTabOrder ? -1 : undefined} />
        <span className={styles.box}>
          <Check aria-hidden />
        </span>
      </label>
    </span>
  );
}
