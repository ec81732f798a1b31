import { useLayoutEffect, useState, type RefObject } from 'react';
import { useMedia } from './usemedia';

/** Whether the window has room for a panel beside the content; the same width as in the shell's styles. */
export const useRoomForPanel = () => useMedia('(min-width: 1000.02px)');

/** Whether the window is as narrow as a phone; the same width as in the shell's styles. */
export const useNarrow = () => useMedia('(max-width: 760px)');

/** The width of an element in pixels, as it changes; 0 until it is known. */
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
