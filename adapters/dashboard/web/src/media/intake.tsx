import { Upload } from 'lucide-react';
import { useEffect, useRef, useState, type DragEvent, type ReactNode } from 'react';
import { useTexts } from '../i18n/language';
import { Button } from '../ui/button';
import styles from './media.module.css';

const accepts = { image: 'image/*', video: 'video/*', audio: 'audio/*', document: '' };

/** A button that opens the browser's file dialog. */
export function FileButton({ multiple = true, types, kind, onFiles, children }: { multiple?: boolean; types?: readonly (keyof typeof accepts)[]; kind?: 'primary' | 'secondary'; onFiles: (files: File[]) => void; children: ReactNode }) {
  const input = useRef<HTMLInputElement>(null);
  const accept = types && !types.includes('document') ? types.map((type) => accepts[type]).join(',') : undefined;
  return (
    <>
      <Button kind={kind} icon={<Upload aria-hidden />} onPress={() => input.current?.click()}>
        {children}
      </Button>
      <input
        ref={input}
        type="file"
        hidden
        multiple={multiple}
        accept={accept}
        onChange={(event) => {
          onFiles([...(event.target.files ?? [])]);
          event.target.value = ''; // so that the same file can be chosen again
        }}
      />
    </>
  );
}

/** An area that accepts dropped files, and pasted files while it is shown. Without onFiles it accepts none. */
export function DropArea({ onFiles, children }: { onFiles?: (files: File[]) => void; children: ReactNode }) {
  const t = useTexts('media').intake;
  const depth = useRef(0); // dragenter and dragleave also come from each element inside
  const [over, setOver] = useState(false);

  useEffect(() => {
    if (!onFiles) return;
    const onPaste = (event: ClipboardEvent) => {
      const files = [...(event.clipboardData?.files ?? [])];
      if (files.length === 0) return;
      event.preventDefault();
      onFiles(files);
    };
    document.addEventListener('paste', onPaste);
    return () => document.removeEventListener('paste', onPaste);
  }, [onFiles]);

  if (!onFiles) return children;

  const holdsFiles = (event: DragEvent) => event.dataTransfer.types.includes('Files');
  const enter = (event: DragEvent, by: 1 | -1) => {
    if (!holdsFiles(event)) return;
    depth.current += by;
    setOver(depth.current > 0);
  };
  return (
    <div
      className={styles.drop}
      onDragEnter={(event) => enter(event, 1)}
      onDragLeave={(event) => enter(event, -1)}
      onDragOver={(event) => {
        if (!holdsFiles(event)) return;
        event.preventDefault();
        event.dataTransfer.dropEffect = 'copy';
      }}
      onDrop={(event) => {
        if (!holdsFiles(event)) return;
        event.preventDefault();
        depth.current = 0;
        setOver(false);
        onFiles([...event.dataTransfer.files]);
      }}
    >
      {children}
      {over && (
        <div className={styles.over} aria-hidden>
          <span>
            <Upload />
            {t.drop}
          </span>
        </div>
      )}
    </div>
  );
}
