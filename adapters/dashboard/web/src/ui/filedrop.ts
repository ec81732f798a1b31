import { useRef, useState, type DragEvent } from 'react';

const holdsFiles = (data: DataTransfer | null) => data?.types.includes('Files') === true;

/** The handlers of an element that accepts dropped files, and whether files are over it. Without onFiles it accepts none. */
export function useFileDrop(onFiles?: (files: File[]) => void) {
  const depth = useRef(0); // dragenter and dragleave also come from each element inside
  const [over, setOver] = useState(false);
  if (!onFiles) return { over: false, handlers: {} };
  const enter = (event: DragEvent, by: 1 | -1) => {
    if (!holdsFiles(event.dataTransfer)) return;
    depth.current += by;
    setOver(depth.current > 0);
  };
  const handlers = {
    onDragEnter: (event: DragEvent) => enter(event, 1),
    onDragLeave: (event: DragEvent) => enter(event, -1),
    onDragOver: (event: DragEvent) => {
      if (!holdsFiles(event.dataTransfer)) return;
      event.preventDefault();
      event.dataTransfer.dropEffect = 'copy';
    },
    onDrop: (event: DragEvent) => {
      if (!holdsFiles(event.dataTransfer)) return;
      event.preventDefault();
      depth.current = 0;
      setOver(false);
      onFiles([...event.dataTransfer.files]);
    },
  };
  return { over, handlers };
}

/** Keeps the page when a file is dropped where none is accepted: the browser would open the file in its place. */
export function keepPage(page: Pick<Window, 'addEventListener'> = window) {
  for (const name of ['dragover', 'drop'] as const) {
    page.addEventListener(name, (event) => {
      const picks = event.target instanceof HTMLInputElement && event.target.type === 'file';
      if (event.defaultPrevented || picks || !holdsFiles(event.dataTransfer)) return;
      event.preventDefault();
      event.dataTransfer!.dropEffect = 'none';
    });
  }
}
