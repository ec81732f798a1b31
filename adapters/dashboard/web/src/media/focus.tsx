import { useRef, type KeyboardEvent, type ReactNode } from 'react';
import { useTexts } from '../i18n/language';
import { Button } from '../ui/button';
import type { MediaItem } from './kind';
import { moved, pointAt, type Point } from './point';
import styles from './media.module.css';

type FocusProps = { item: MediaItem; value: Point | null; onChange: (point: Point | null) => void; children: ReactNode };

/** A picture, children, with a mark of its focal point. Pointing at the picture and the arrow keys move the mark. */
export function Focus({ item, value, onChange, children }: FocusProps) {
  const t = useTexts('media').focus;
  const area = useRef<HTMLDivElement>(null);
  const mark = useRef<HTMLButtonElement>(null);
  const point = value ?? { x: 0.5, y: 0.5 };
  const onKeyDown = (event: KeyboardEvent) => {
    const next = moved(point, event.key, event.shiftKey);
    if (!next) return;
    event.preventDefault();
    event.stopPropagation();
    onChange(next);
  };
  return (
    <>
      {/* The mark does the same with the keyboard. */}
      <div
        ref={area}
        className={styles.focus}
        onPointerDown={(event) => {
          if (event.button !== 0 || !area.current) return;
          event.preventDefault();
          mark.current?.focus();
          onChange(pointAt(area.current.getBoundingClientRect(), event.clientX, event.clientY));
        }}
      >
        {children}
        <button
          ref={mark}
          type="button"
          className={styles.mark}
          data-set={value !== null || undefined}
          style={{ left: `${point.x * 100}%`, top: `${point.y * 100}%` }}
          aria-label={t.mark(Math.round(point.x * 100), Math.round(point.y * 100))}
          aria-describedby={`focus-${item.id}`}
          onKeyDown={onKeyDown}
        />
      </div>
      <p className={styles.focusHint}>
        <span id={`focus-${item.id}`}>{t.hint}</span>
        <Button onPress={() => onChange(null)} isDisabled={value === null}>
          {t.centre}
        </Button>
      </p>
    </>
  );
}
