import { useQuery } from '@tanstack/react-query';
import { useId, useState } from 'react';
import { useTexts } from '../i18n/language';
import { Button } from '../ui/button';
import { inputClass } from '../ui/textfields';
import { Dialog } from '../ui/overlays';
import styles from './conflicts.module.css';
import { useEditing, useMeta, type Field } from './context';
import type { Conflict } from './merge';
import { revisionsQuery } from './queries';
import { ReadValue } from './readvalue';

type Choice = { side: 'mine' | 'theirs' } | { side: 'both'; text: string };

/** Shows both versions of each conflicting field after another user has saved first. */
export function ConflictDialog() {
  const t = useTexts('editor').conflicts;
  const { store, project, collection } = useEditing();
  const { conflicts, entry } = useMeta(store);
  const [choices, setChoices] = useState<Record<string, Choice>>({});
  const open = conflicts.length > 0;
  const latest = useQuery({ ...revisionsQuery({ projectId: project.id, collectionId: collection.id }, entry?.id ?? 0), enabled: open && entry !== undefined, staleTime: 0 }).data?.data[0];
  const done = conflicts.every(({ name }) => choices[name] !== undefined);
  const take = () => {
    const values = Object.fromEntries(
      conflicts.map((conflict) => {
        const choice = choices[conflict.name]!;
        return [conflict.name, choice.side === 'both' ? choice.text : conflict[choice.side]];
      }),
    );
    setChoices({});
    store.resolve(values);
  };
  return (
    <Dialog title={t.title} isOpen={open} onClose={() => undefined} size="large" dismissable={false}>
      <p>{t.lead(latest?.by.name ?? t.another)}</p>
      <div className={styles.conflicts}>
        {conflicts.map((conflict) => {
          const field = collection.fields.find((f) => f.name === conflict.name);
          return (
            field && <OneConflict key={conflict.name} field={field} conflict={conflict} choice={choices[conflict.name]} choose={(choice) => setChoices({ ...choices, [conflict.name]: choice })} theirs={latest?.by.name ?? t.theirs} />
          );
        })}
      </div>
      <footer>
        <Button onPress={() => setChoices(Object.fromEntries(conflicts.map(({ name }) => [name, { side: 'mine' as const }])))}>{t.allMine}</Button>
        <Button onPress={() => setChoices(Object.fromEntries(conflicts.map(({ name }) => [name, { side: 'theirs' as const }])))}>{t.allTheirs}</Button>
        <Button kind="primary" isDisabled={!done} onPress={take}>
          {t.save}
        </Button>
      </footer>
    </Dialog>
  );
}

type OneProps = { field: Field; conflict: Conflict; choice?: Choice; choose: (choice: Choice) => void; theirs: string };

function OneConflict({ field, conflict, choice, choose, theirs }: OneProps) {
  const t = useTexts('editor').conflicts;
  const name = useId();
  const isText = (field.type === 'text' || field.type === 'longtext') && !field.multiple;
  const side = (which: 'mine' | 'theirs', label: string) => (
    <label className={styles.side} data-chosen={choice?.side === which || undefined}>
      <span>
        <input type="radio" name={name} checked={choice?.side === which} onChange={() => choose({ side: which })} />
        {label}
      </span>
      <div>
        <ReadValue field={field} value={conflict[which]} />
      </div>
    </label>
  );
  return (
    <fieldset className={styles.one}>
      <legend>{field.label}</legend>
      <div className={styles.sides}>
        {side('mine', t.mine)}
        {side('theirs', theirs)}
      </div>
      {isText && (
        <div className={styles.both}>
          <label>
            <input
              type="radio"
              name={name}
              checked={choice?.side === 'both'}
              onChange={() => choose({ side: 'both', text: String(conflict.mine ?? '') })}
            />
            {t.both}
          </label>
          {choice?.side === 'both' && <textarea className={inputClass} aria-label={t.both} rows={4} value={choice.text} onChange={(e) => choose({ side: 'both', text: e.target.value })} />}
        </div>
      )}
    </fieldset>
  );
}
