import { useFormat } from '../i18n/format';
import { useTexts } from '../i18n/language';
import { Note, Problem } from '../ui/basics';
import { Button } from '../ui/button';
import { useEditing, useMeta } from './context';
import { jumpTo } from './panel/faultlist';
import { SentBack } from './sentback';
import styles from './editor.module.css';

/** Notes about changes that were restored, merged or not saved. */
export function Notes() {
  const t = useTexts('editor').notes;
  const format = useFormat();
  const { store, collection } = useEditing();
  const { restored, merged, state, conflicts } = useMeta(store);
  const labels = (names: readonly string[]) => format.list(names.map((name) => collection.fields.find((f) => f.name === name)?.label ?? name));
  /** The buttons go away, so the focus moves to the first of the fields in question. */
  const decided = (act: () => void) => {
    const [first] = store.changed();
    act();
    if (first) setTimeout(() => jumpTo(first), 60); // ms: after the note is gone
  };
  return (
    <div className={styles.notes}>
      <SentBack />
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
      {merged.length > 0 && conflicts.length === 0 && (
        <Note tone="accent" role="status">
          {t.merged(labels(merged))}
        </Note>
      )}
      {state.kind === 'failed' && <Problem error={state.error} />}
    </div>
  );
}
