import { useState } from 'react';
import type { Schemas } from '../api/client';
import { asApiError, type ApiError } from '../api/error';
import { useSession } from '../api/queries';
import { useTexts } from '../i18n/language';
import { useStepName } from '../review/steps';
import type { Request, Subject } from '../review/queries';
import { Note, Problem } from '../ui/basics';
import { Button } from '../ui/button';
import { Select } from '../ui/forms';
import { TextArea } from '../ui/textfields';
import { Checkbox } from '../ui/toggles';
import type { Anchor } from './anchor';
import styles from './comments.module.css';
import { withIds } from './names';
import { NamingArea } from './naming';
import type { CommentInput } from './pending';
import type { Person } from './queries';

export type Draft = CommentInput & { withDecision: boolean };

type ComposerProps = { subject: Subject; request: Request; fields: readonly Schemas['Field'][]; anchor: Anchor; onSend: (draft: Draft) => Promise<void>; onCancel: () => void };

/** The key of what is no field. */
const whole = '*';
const suggests = new Set(['text', 'longtext', 'richtext']);

/** Writes a new comment. */
export function Composer({ subject, request, fields, anchor, onSend, onCancel }: ComposerProps) {
  const t = useTexts('comments');
  const stepName = useStepName();
  const session = useSession();
  const [text, setText] = useState('');
  const [people, setPeople] = useState<readonly Person[]>([]);
  const [place, setPlace] = useState(anchor);
  const [must, setMust] = useState(false);
  const [other, setOther] = useState<string>();
  const [error, setError] = useState<ApiError>();
  const [isPending, setIsPending] = useState(false);
  const stepId = request.canActOn[0] ?? request.deciders.find((d) => d.userIds.includes(session.id))?.stepId;
  const step = stepId === undefined ? undefined : request.steps.find((s) => s.stepId === stepId);
  const nested = /[.[]/.test(place.field ?? '');
  const top = fields.find((f) => f.name === place.field);
  const suggestible = place.quote !== undefined && (nested || (top !== undefined && suggests.has(top.type) && !top.multiple));
  const send = async (withDecision: boolean) => {
    if (isPending || !text.trim()) return;
    setIsPending(true);
    setError(undefined);
    try {
      await onSend({ ...place, text: withIds(text.trim(), people), must: must ? stepId : undefined, replace: suggestible ? other : undefined, withDecision });
    } catch (caught) {
      const found = asApiError(caught);
      // A passage that the snapshot does not have as one: comment on the field.
      if (found.faults.some((f) => f.location.startsWith('quote'))) setPlace({ field: place.field });
      setError(found);
    } finally {
      setIsPending(false);
    }
  };
  return (
    <div className={styles.composer} data-composer>
      {place.quote ? (
        <p className={styles.quote}>
          {t.on} <q dir="auto">{place.quote.text}</q>
        </p>
      ) : nested || place.key !== undefined ? (
        <p className={styles.quote}>{t.onItem(fields.find((f) => f.name === /^[^.[]*/.exec(place.field ?? '')![0])?.label ?? '')}</p>
      ) : (
        fields.length > 0 && (
          <Select label={t.about} value={place.field ?? whole} onChange={(field) => setPlace({ field: field === whole ? undefined : field })} options={[{ id: whole, label: t.whole }, ...fields.map((f) => ({ id: f.name, label: f.label }))]} />
        )
      )}
      {error && (error.faults.some((f) => f.location.startsWith('quote')) ? <Note tone="wait" role="alert">{t.noQuote}</Note> : <Problem error={error} />)}
      <NamingArea subject={subject} label={t.comment} value={text} onChange={setText} people={people} onPerson={(person) => setPeople([...people, person])} onSend={() => void send(false)} onCancel={onCancel} autoFocus />
      {step && (
        <Checkbox isSelected={must} onChange={setMust}>
          {t.mustFor(stepName(step))}
        </Checkbox>
      )}
      {suggestible && (
        <Checkbox isSelected={other !== undefined} onChange={(on) => setOther(on ? place.quote!.text : undefined)}>
          {t.otherWords}
        </Checkbox>
      )}
      {suggestible && other !== undefined && <TextArea label={t.instead} value={other} onChange={setOther} maxLength={4000} rows={2} />}
      <div className={styles.buttons}>
        <Button kind="primary" shortcut="Ctrl ↵" isPending={isPending} onPress={() => void send(false)}>
          {t.comment}
        </Button>
        {request.canAct && (
          <Button isPending={isPending} onPress={() => void send(true)}>
            {t.withDecision}
          </Button>
        )}
        <Button kind="quiet" shortcut="Esc" onPress={onCancel}>
          {t.cancel}
        </Button>
      </div>
    </div>
  );
}
