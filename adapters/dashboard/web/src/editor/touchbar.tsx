import { Redo2, Undo2 } from 'lucide-react';
import { useTexts } from '../i18n/language';
import { IconButton } from '../ui/button';
import { useEditing, useMeta } from './context';
import styles from './editor.module.css';
import { SeeDraft } from './seedraft';
import { undoIn } from './undo';

/** What the keyboard and the bar of a wide window offer, in reach of the thumb. */
export function TouchBar() {
  const t = useTexts('editor').toolbar;
  const { store, project } = useEditing();
  const { entry, undo } = useMeta(store);
  return (
    <div className={styles.touchBar}>
      <IconButton label={t.undo} icon={<Undo2 aria-hidden />} isDisabled={!undo.can} onPress={() => undoIn(store, 'undo')} />
      <IconButton label={t.redo} icon={<Redo2 aria-hidden />} isDisabled={!undo.redo} onPress={() => undoIn(store, 'redo')} />
      {entry && project.previewUrl !== null && <SeeDraft />}
    </div>
  );
}
