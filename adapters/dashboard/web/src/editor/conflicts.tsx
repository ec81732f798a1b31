import { useQuery } from '@tanstack/react-query';
import { useId, useMemo, useRef, useState, type ReactNode } from 'react';
import { LinkedText } from '../compare/fieldchange';
import { isConflict, mergeRichText, type Conflict as Part, type Piece } from '../compare/merge';
import { Lines } from '../compare/prose';
import { useTexts } from '../i18n/language';
import { actorName } from '../ui/actor';
import { Button } from '../ui/button';
import { inputClass } from '../ui/textfields';
import { Dialog } from '../ui/overlays';
import { Waiting } from '../ui/waiting';
import styles from './conflicts.module.css';
import { useEditing, useMeta, type Field } from './context';
import type { Conflict } from './merge';
import { revisionsQuery } from './queries';
import { ReadValue } from './readvalue';

type Side = 'mine' | 'theirs';
type Choice = { side: Side } | { side: 'both'; text?: string };

/** Offers the choice between two versions after another user has saved first. It waits beside the page. */
export function Conflicts() {
  const t = useTexts('editor').conflicts;
  const { store, collection } = useEditing();
  const { conflicts, choosing } = useMeta(store);
  const back = useRef<() => void>(undefined);
  if (conflicts.length === 0) return null;
  const labels = conflicts.map(({ name }) => collection.fields.find((f) => f.name === name)?.label ?? name);
  const close = () => {
    store.choose(false);
    back.current?.();
  };
  return (
    <>
      <Waiting label={t.title} action={t.choose} onPress={() => store.choose(true)} back={back}>
        {t.waits(labels.join(', '))}
      </Waiting>
      {choosing && <ConflictDialog onClose={close} />}
    </>
  );
}

/** A value in conflict: rich text by blocks, other values as one part. */
type Disputed = { conflict: Conflict; field: Field; pieces: Piece[]; isRich: boolean };

/** Shows both versions of each part in conflict, with what each side changed. */
function ConflictDialog({ onClose }: { onClose: () => void }) {
  const t = useTexts('editor').conflicts;
  const { store, project, collection, locale } = useEditing();
  const { conflicts, entry } = useMeta(store);
  const [choices, setChoices] = useState<Record<string, Choice>>({});
  const latest = useQuery({ ...revisionsQuery({ projectId: project.id, collectionId: collection.id }, entry?.id ?? 0), enabled: entry !== undefined, staleTime: 0 }).data?.data[0];
  const disputed = useMemo(
    () =>
      conflicts.flatMap((conflict): Disputed[] => {
        const field = collection.fields.find((f) => f.name === conflict.name);
        if (!field) return [];
        const isRich = field.type === 'richtext' && !field.multiple;
        const now = { ...conflict, mine: store.value(conflict.name) }; // with what was typed since
        return [{ conflict: now, field, isRich, pieces: isRich ? mergeRichText(text(now.base), text(now.mine), text(now.theirs), locale) : [] }];
      }),
    [conflicts, collection, locale, store],
  );
  const partsOf = ({ conflict, isRich, pieces }: Disputed) => (isRich ? pieces.filter(isConflict) : [conflict]).map((part, i) => ({ key: `${conflict.name} ${i}`, part }));
  const keys = disputed.flatMap((one) => partsOf(one).map(({ key }) => key));
  const all = (side: Side) => setChoices(Object.fromEntries(keys.map((key) => [key, { side }])));
  const valueOf = (one: Disputed) => {
    const { conflict, isRich, pieces } = one;
    if (!isRich) {
      const choice = choices[`${conflict.name} 0`]!;
      return choice.side === 'both' ? choice.text : conflict[choice.side];
    }
    let i = 0;
    return pieces
      .map((piece) => {
        if (!isConflict(piece)) return piece.html;
        const { side } = choices[`${conflict.name} ${i++}`]!;
        return side === 'both' ? piece.mine + piece.theirs : piece[side];
      })
      .join('');
  };
  const take = () => {
    const values = Object.fromEntries(disputed.map((one) => [one.conflict.name, valueOf(one)]));
    onClose();
    store.resolve(values);
  };
  return (
    <Dialog title={t.title} isOpen onClose={onClose} size="large">
      <p>{t.lead(latest ? actorName(latest.by) : t.another)}</p>
      <div className={styles.conflicts} tabIndex={0} role="group" aria-label={t.title}>
        {disputed.map((one) =>
          partsOf(one).map(({ key, part }, i, parts) => (
            <OneConflict
              key={key}
              disputed={one}
              part={part}
              label={parts.length > 1 ? t.place(one.field.label, i + 1, parts.length) : one.field.label}
              choice={choices[key]}
              choose={(choice) => setChoices({ ...choices, [key]: choice })}
              theirs={latest ? actorName(latest.by) : t.theirs}
            />
          )),
        )}
      </div>
      <footer>
        <Button onPress={() => all('mine')}>{t.allMine}</Button>
        <Button onPress={() => all('theirs')}>{t.allTheirs}</Button>
        <Button kind="primary" isDisabled={keys.some((key) => choices[key] === undefined)} onPress={take}>
          {t.save}
        </Button>
      </footer>
    </Dialog>
  );
}

const text = (value: unknown) => (typeof value === 'string' ? value : '');

type OneProps = { disputed: Disputed; part: Part | Conflict; label: string; choice?: Choice; choose: (choice: Choice) => void; theirs: string };

function OneConflict({ disputed: { field, isRich }, part, label, choice, choose, theirs }: OneProps) {
  const t = useTexts('editor').conflicts;
  const name = useId();
  const isText = (field.type === 'text' || field.type === 'longtext') && !field.multiple;
  const side = (which: Side, heading: string) => (
    <label className={styles.side} data-chosen={choice?.side === which || undefined}>
      <span>
        <input type="radio" name={name} checked={choice?.side === which} onChange={() => choose({ side: which })} />
        {heading}
      </span>
      <div>
        <Version field={field} isRich={isRich} isText={isText} before={part.base} after={part[which]} />
      </div>
    </label>
  );
  return (
    <fieldset className={styles.one}>
      <legend>{label}</legend>
      <div className={styles.sides}>
        {side('mine', t.mine)}
        {side('theirs', theirs)}
      </div>
      {(isText || isRich) && (
        <div className={styles.both}>
          <label>
            <input type="radio" name={name} checked={choice?.side === 'both'} onChange={() => choose({ side: 'both', text: isText ? text(part.mine) : undefined })} />
            {isText ? t.both : t.bothAfter}
          </label>
          {isText && choice?.side === 'both' && <textarea className={inputClass} aria-label={t.both} rows={4} value={choice.text} onChange={(e) => choose({ side: 'both', text: e.target.value })} />}
        </div>
      )}
    </fieldset>
  );
}

/** One version, with marks for what it changed. */
function Version({ field, isRich, isText, before, after }: { field: Field; isRich: boolean; isText: boolean; before: unknown; after: unknown }): ReactNode {
  const t = useTexts('editor').conflicts;
  const { project, locale } = useEditing();
  if (isRich && !after) return t.deleted;
  if (isRich) return <LinkedText before={text(before)} after={text(after)} marked versions={{ projectId: project.id, locale, before: nothing, after: nothing }} />;
  if (isText && after) return <Lines before={text(before)} after={text(after)} locale={locale} />;
  return <ReadValue field={field} value={after} />;
}

const nothing = { fields: {}, media: {} };
