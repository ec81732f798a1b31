import { useQuery } from '@tanstack/react-query';
import { useId, useMemo, useRef, useState, type ReactNode } from 'react';
import { componentsQuery } from '../api/queries';
import { LinkedText } from '../compare/fieldchange';
import { textOf } from '../compare/merge';
import { Lines } from '../compare/prose';
import { useTexts } from '../i18n/language';
import { actorName } from '../ui/actor';
import { Button } from '../ui/button';
import { inputClass } from '../ui/textfields';
import { Dialog } from '../ui/overlays';
import { Waiting } from '../ui/waiting';
import styles from './conflicts.module.css';
import { useEditing, useMeta } from './context';
import { disputedOf, type Choice, type Choices, type Part, type Side } from './disputed';
import { bySlug, isStructured } from './items/structured';
import { ReadValue } from './readvalue';
import { useSaver, type Saver } from './saver';

/** Offers the choice between two versions after another user has saved first. It waits beside the page. */
export function Conflicts() {
  const t = useTexts('editor').conflicts;
  const { store, collection } = useEditing();
  const { conflicts, choosing } = useMeta(store);
  const back = useRef<() => void>(undefined);
  const saver = useSaver(conflicts.length > 0);
  if (conflicts.length === 0 || !saver) return null;
  const labels = conflicts.map(({ name }) => collection.fields.find((f) => f.name === name)?.label ?? name);
  const close = () => {
    store.choose(false);
    back.current?.();
  };
  return (
    <>
      <Waiting label={t.title} action={t.choose} onPress={() => store.choose(true)} back={back}>
        {saver.isOwn ? t.waitsOwn(labels.join(', ')) : t.waits(labels.join(', '))}
      </Waiting>
      {choosing && <ConflictDialog saver={saver} onClose={close} />}
    </>
  );
}

/** Shows both versions of each part in conflict, with what each side changed. */
function ConflictDialog({ saver: { by, isOwn }, onClose }: { saver: Saver; onClose: () => void }) {
  const t = useTexts('editor').conflicts;
  const { store, project, collection, locale } = useEditing();
  const { conflicts } = useMeta(store);
  const [choices, setChoices] = useState<Choices>({});
  const components = useQuery({ ...componentsQuery(project.id), enabled: collection.fields.some(isStructured) }).data?.data;
  const disputed = useMemo(
    () =>
      conflicts.flatMap((conflict) => {
        const field = collection.fields.find((f) => f.name === conflict.name);
        // With what was typed since.
        return field ? disputedOf({ ...conflict, mine: store.value(conflict.name) }, field, bySlug(components ?? []), locale) : [];
      }),
    [conflicts, collection, components, locale, store],
  );
  const parts = disputed.flatMap((one) => one.parts);
  const all = (side: Side) => setChoices(Object.fromEntries(parts.map(({ key }) => [key, { side }])));
  const take = () => {
    const values = Object.fromEntries(disputed.map(({ name, value }) => [name, value(choices)]));
    onClose();
    store.resolve(values);
  };
  return (
    <Dialog title={t.title} isOpen onClose={onClose} size="large">
      <p>{isOwn ? t.leadOwn : t.lead(by ? actorName(by) : t.another)}</p>
      <div className={styles.conflicts} tabIndex={0} role="group" aria-label={t.title}>
        {parts.map((part) => (
          <OneConflict key={part.key} part={part} choice={choices[part.key]} choose={(choice) => setChoices({ ...choices, [part.key]: choice })} theirs={isOwn ? t.theirsOwn : by ? actorName(by) : t.theirs} />
        ))}
      </div>
      <footer>
        <Button onPress={() => all('mine')}>{t.allMine}</Button>
        <Button onPress={() => all('theirs')}>{t.allTheirs}</Button>
        <Button kind="primary" isDisabled={parts.some(({ key }) => choices[key] === undefined)} onPress={take}>
          {t.save}
        </Button>
      </footer>
    </Dialog>
  );
}

type OneProps = { part: Part; choice?: Choice; choose: (choice: Choice) => void; theirs: string };

function OneConflict({ part, choice, choose, theirs }: OneProps) {
  const t = useTexts('editor').conflicts;
  const id = useId();
  const isText = part.shape === 'text';
  const label = part.labels.map(({ name, summary }) => (summary ? t.item(name, summary) : name)).join(' › ');
  const side = (which: Side, heading: string) => (
    <label className={styles.side} data-chosen={choice?.side === which || undefined}>
      <span>
        <input type="radio" name={id} checked={choice?.side === which} onChange={() => choose({ side: which })} />
        {heading}
      </span>
      <div>
        <Version part={part} side={which} />
      </div>
    </label>
  );
  return (
    <fieldset className={styles.one}>
      <legend>{part.place ? t.place(label, part.place.n, part.place.of) : label}</legend>
      <div className={styles.sides}>
        {side('mine', t.mine)}
        {side('theirs', theirs)}
      </div>
      {(isText || part.shape === 'rich') && (
        <div className={styles.both}>
          <label>
            <input type="radio" name={id} checked={choice?.side === 'both'} onChange={() => choose({ side: 'both', text: isText ? textOf(part.mine) : undefined })} />
            {isText ? t.both : t.bothAfter}
          </label>
          {isText && choice?.side === 'both' && <textarea className={inputClass} aria-label={t.both} rows={4} value={choice.text} onChange={(e) => choose({ side: 'both', text: e.target.value })} />}
        </div>
      )}
    </fieldset>
  );
}

/** One version, with marks for what it changed. */
function Version({ part: { field, shape, ...versions }, side }: { part: Part; side: Side }): ReactNode {
  const t = useTexts('editor').conflicts;
  const { project, locale } = useEditing();
  const [before, after] = [versions.base, versions[side]];
  if ((shape === 'rich' || shape === 'item') && !after) return t.deleted;
  if (shape === 'rich') return <LinkedText before={textOf(before)} after={textOf(after)} marked versions={{ projectId: project.id, locale, before: nothing, after: nothing }} />;
  if (shape === 'text' && after) return <Lines before={textOf(before)} after={textOf(after)} locale={locale} />;
  return <ReadValue field={field} value={after} />;
}

const nothing = { fields: {}, media: {} };
