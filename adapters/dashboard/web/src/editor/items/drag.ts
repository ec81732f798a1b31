import { useState, type PointerEvent as ReactPointerEvent, type RefObject } from 'react';

/**
 * Moves an element of a list with the pointer. drop is the index of the element before which it would be
 * put: the number of elements for the end. Escape cancels.
 */
export function useDrag(list: RefObject<HTMLElement | null>, onMove: (from: number, to: number) => void) {
  const [drop, setDrop] = useState<number>();
  const start = (event: ReactPointerEvent, from: number) => {
    if (event.button !== 0 || !list.current) return;
    event.preventDefault();
    const pointer = event.pointerId;
    let to: number | undefined;
    const move = (now: PointerEvent) => {
      if (now.pointerId !== pointer || !list.current) return;
      const rows = [...list.current.children];
      const found = rows.findIndex((row) => {
        const { top, height } = row.getBoundingClientRect();
        return now.clientY < top + height / 2;
      });
      to = found < 0 ? rows.length : found;
      setDrop(to === from || to === from + 1 ? undefined : to);
      rows[Math.min(to, rows.length - 1)]?.scrollIntoView({ block: 'nearest' });
    };
    const end = (now: PointerEvent | undefined) => {
      if (now && now.pointerId !== pointer) return;
      removeEventListener('pointermove', move);
      removeEventListener('pointerup', end);
      removeEventListener('pointercancel', cancel);
      removeEventListener('keydown', escape, true);
      setDrop(undefined);
      if (now && to !== undefined) onMove(from, to > from ? to - 1 : to);
    };
    const cancel = () => end(undefined);
    const escape = (key: KeyboardEvent) => {
      if (key.key !== 'Escape') return;
      key.preventDefault();
      key.stopPropagation();
      cancel();
    };
    addEventListener('pointermove', move);
    addEventListener('pointerup', end);
    addEventListener('pointercancel', cancel);
    addEventListener('keydown', escape, true);
  };
  return { drop, start };
}
