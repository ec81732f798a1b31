import { useLayoutEffect, useState, type RefObject } from 'react';
import { useMedia } from './usemedia';

/** Whether the window has room for a panel beside the content. Must match shell.module.css. */
export const useRoomForPanel = () => useMedia('(min-width: 1000.02px)');

/** Whether the window is as narrow as a phone. Must match shell.module.css. */
export const useNarrow = () => useMedia('(max-width: 760px)');

/** The current width of an element in pixels; 0 until it is known. */
export function useWidth(ref: RefObject<HTMLElement | null>) {
  const [width, setWidth] = useState(0);
  useLayoutEffect(() => {
    const element = ref.current;
    if (!element) return;
    setWidth(element.clientWidth);
    const observer = new ResizeObserver(() => setWidth(element.clientWidth));
    observer.observe(element);
    return () => observer.disconnect();
  }, [ref]);
  return width;
}
