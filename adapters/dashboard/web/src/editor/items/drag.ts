import type { PointerEvent as ReactPointerEvent, RefObject } from 'react';
import { landing, shifts } from './landing';

const edge = 72; // px from the top and bottom of the window, where it scrolls
const fastest = 14; // px a frame

/**
 * Moves an element of a list with the pointer. The element follows the pointer, and the others leave a
 * gap where it will land. Escape cancels. React renders nothing meanwhile, because lists can be long.
 */
export function useDrag(list: RefObject<HTMLElement | null>, onMove: (from: number, to: number) => void) {
  return (event: ReactPointerEvent, from: number) => {
    const box = list.current;
    if (event.button !== 0 || !box) return;
    event.preventDefault();
    const pointer = event.pointerId;
    const startY = event.clientY + scrollY;
    let at = event.clientY;
    let to = from;
    let frame = requestAnimationFrame(scroll);
    const rows = () => [...box.children] as HTMLElement[];

    function show() {
      const all = rows();
      const dragged = all[from];
      if (!dragged) return;
      const extents = all.map((row) => ({ top: row.offsetTop, height: row.offsetHeight })); // as if none were moved
      const dy = at + scrollY - startY;
      to = landing(extents, from, dy);
      shifts(extents, from, to).forEach((by, i) => (all[i]!.style.translate = by ? `0 ${by}px` : ''));
      dragged.style.translate = `0 ${dy}px`;
      dragged.dataset.dragged = '';
      box!.dataset.dragging = '';
    }
    function scroll() {
      const over = at < edge ? at - edge : Math.max(0, at - (innerHeight - edge));
      if (over) {
        scrollBy(0, Math.max(-fastest, Math.min(fastest, over / 4)));
        show();
      }
      frame = requestAnimationFrame(scroll);
    }
    const move = (now: PointerEvent) => {
      if (now.pointerId !== pointer) return;
      at = now.clientY;
      show();
    };
    const end = (drops: boolean) => {
      cancelAnimationFrame(frame);
      removeEventListener('pointermove', move);
      removeEventListener('pointerup', up);
      removeEventListener('pointercancel', cancel);
      removeEventListener('keydown', escape, true);
      for (const row of rows()) {
        row.style.translate = '';
        delete row.dataset.dragged;
      }
      delete box.dataset.dragging;
      if (drops && to !== from) onMove(from, to);
    };
    const up = (now: PointerEvent) => now.pointerId === pointer && end(true);
    const cancel = (now: PointerEvent) => now.pointerId === pointer && end(false);
    const escape = (key: KeyboardEvent) => {
      if (key.key !== 'Escape') return;
      key.preventDefault();
      key.stopPropagation();
      end(false);
    };
    addEventListener('pointermove', move);
    addEventListener('pointerup', up);
    addEventListener('pointercancel', cancel);
    addEventListener('keydown', escape, true);
  };
}
