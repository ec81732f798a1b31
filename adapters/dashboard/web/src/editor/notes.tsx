import { lazy, Suspense } from 'react';
import { Withheld } from '../compare/withheld';
import { useFormat } from '../i18n/format';
import { useTexts } from '../i18n/language';
import { Note, Problem } from '../ui/basics';
import { Button } from '../ui/button';
import { useEditing, useMeta } from './context';
import { jumpTo } from './panel/faultlist';
import styles from './editor.module.css';
import { useSaver } from './saver';

// Loaded on demand: few entries were sent back.
const SentBack = lazy(() => import('./sentback').then((m) => ({ default: m.SentBack })));

/** Notes about changes that were restored, merged or not saved. */
export function Notes() {
  const t = useTexts('editor').notes;
  const format = useFormat();
  const { store, collection } = useEditing();
  const { entry, restored, merged, state, conflicts, undo } = useMeta(store);
  const saver = useSaver(merged.length > 0);
  const labels = (names: readonly string[]) => format.list(names.map((name) => collection.fields.find((f) => f.name === name)?.label ?? name));
  /** The buttons go away, so the focus moves to the first of the fields in question. */
  const decided = (act: () => void) => {
    const [first] = store.changed();
    act();
    if (first) setTimeout(() => jumpTo(first), 60); // ms: after the note is gone
  };
  return (
    <div className={styles.notes}>
      <Suspense>{(entry?.status === 'sent_back' || entry?.status === 'rejected') && <SentBack />}</Suspense>
      <Withheld parts={entry?.withheld} />
      {restored !== undefined && conflicts.length === 0 && (
        <Note tone="wait" role="status">
          {t.restored(format.dateTime(new Date(restored).toISOString()))}
          <div className={styles.choice}>
            <Button onPress={() => decided(store.keepRestored)}>{t.keep}</Button>
            <Button kind="quiet" onPress={() => decided(store.discardRestored)}>
              {t.discard}
            </Button>
          </div>
        </Note>
      )}
      {merged.length > 0 && saver && conflicts.length === 0 && (
        <Note tone="accent" role="status">
          {saver.isOwn ? t.mergedOwn(labels(merged)) : t.merged(labels(merged))} {undo.restarted && t.restarted}
        </Note>
      )}
      {state.kind === 'failed' && <Problem error={state.error} />}
    </div>
  );
}
