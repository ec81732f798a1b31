import { useFormat } from '../i18n/format';
import { texts, useTexts } from '../i18n/language';
import { Note, Problem } from '../ui/basics';
import { Button } from '../ui/button';
import { useEditing, useMeta } from './context';
import styles from './editor.module.css';

/** Notes about changes that were restored, merged or not saved. */
export function Notes() {
  const t = useTexts(words);
  const format = useFormat();
  const { store, collection } = useEditing();
  const { restored, merged, state, conflicts } = useMeta(store);
  const labels = (names: readonly string[]) => format.list(names.map((name) => collection.fields.find((f) => f.name === name)?.label ?? name));
  return (
    <div className={styles.notes}>
      {restored !== undefined && conflicts.length === 0 && (
        <Note tone="wait" role="status">
          {t.restored(format.dateTime(new Date(restored).toISOString()))}
          <div className={styles.choice}>
            <Button onPress={store.keepRestored}>{t.keep}</Button>
            <Button kind="quiet" onPress={store.discardRestored}>
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

const words = texts({
  en: {
    restored: (time: string) => `This device kept changes from ${time} that were not saved. They are in the fields below.`,
    keep: 'Keep them',
    discard: 'Discard them',
    merged: (fields: string) => `Another person changed this meanwhile: ${fields}. You see their version of it; your own changes stay.`,
  },
  de: {
    restored: (time: string) => `Dieses Gerät hat Änderungen vom ${time} aufbewahrt, die nicht gespeichert wurden. Sie stehen unten in den Feldern.`,
    keep: 'Behalten',
    discard: 'Verwerfen',
    merged: (fields: string) => `Inzwischen wurde dies von jemand anderem geändert: ${fields}. Sie sehen davon die neue Fassung; Ihre eigenen Änderungen bleiben.`,
  },
});
