import { Upload } from 'lucide-react';
import { useEffect, useRef, type ReactNode } from 'react';
import { useTexts } from '../i18n/language';
import { Button } from '../ui/button';
import { useFileDrop } from '../ui/filedrop';
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
  const { over, handlers } = useFileDrop(onFiles);

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

  return (
    <div className={styles.drop} {...handlers}>
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
