import { CircleAlert, CloudCheck, CloudOff, CloudUpload, Columns2 } from 'lucide-react';
import type { ReactNode } from 'react';
import { useFormat } from '../i18n/format';
import { useTexts } from '../i18n/language';
import { useMeta } from './context';
import styles from './editor.module.css';
import type { EntryStore } from './store';

/** Shows whether all changes are saved on the server. */
export function SaveStatus({ store }: { store: EntryStore }) {
  const t = useTexts('editor').savestatus;
  const format = useFormat();
  const { state, savedAt, entry, restored } = useMeta(store);
  const shown = (): [ReactNode, string, tone?: 'wait' | 'bad'] | undefined => {
    if (restored !== undefined) return [<CloudOff key="i" aria-hidden />, t.kept, 'wait'];
    switch (state.kind) {
      case 'saved':
        if (!entry) return undefined;
        return [<CloudCheck key="i" aria-hidden />, store.unsaved ? t.partly : savedAt ? t.saved(format.time(new Date(savedAt).toISOString())) : t.allSaved, store.unsaved ? 'wait' : undefined];
      case 'changed':
      case 'saving':
        return [<CloudUpload key="i" aria-hidden />, t.saving];
      case 'offline':
        return [<CloudOff key="i" aria-hidden />, t.offline, 'wait'];
      case 'signedOut':
        return [<CloudOff key="i" aria-hidden />, t.kept, 'wait'];
      case 'conflict':
        return [<Columns2 key="i" aria-hidden />, t.conflict, 'wait'];
      case 'failed':
        return [<CircleAlert key="i" aria-hidden />, t.failed, 'bad'];
    }
  };
  const [icon, text, tone] = shown() ?? [];
  return (
    <span className={styles.saveStatus} role="status" data-tone={tone}>
      {icon}
      <span>{text}</span>
    </span>
  );
}
