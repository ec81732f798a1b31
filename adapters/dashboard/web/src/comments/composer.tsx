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
import styles from './comments.module.css';
import { NamingArea } from './naming';
import type { Unsent } from './unsent';

type ComposerProps = {
  subject: Subject;
  request: Request;
  fields: readonly Schemas['Field'][];
  comment: Unsent;
  onChange: (comment: Unsent) => void;
  onSend: (withDecision: boolean) => Promise<void>;
  onCancel: () => void;
  /** Whether the user has just opened it. */
  autoFocus: boolean;
};

/** The key of what is no field. */
const whole = '*';
const suggests = new Set(['text', 'longtext', 'richtext']);

/** Writes a new comment. */
export function Composer({ subject, request, fields, comment, onChange, onSend, onCancel, autoFocus }: ComposerProps) {
  const t = useTexts('comments');
  const stepName = useStepName();
  const session = useSession();
  const { about: place, text, people, must, replace: other } = comment;
  const change = (changed: Partial<Unsent>) => onChange({ ...comment, ...changed });
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
      await onSend(withDecision);
    } catch (caught) {
      const found = asApiError(caught);
      // A passage that the snapshot does not have as one: comment on the field.
      if (found.faults.some((f) => f.location.startsWith('quote'))) change({ about: { field: place.field }, replace: undefined });
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
          <Select label={t.about} value={place.field ?? whole} onChange={(field) => change({ about: { field: field === whole ? undefined : field } })} options={[{ id: whole, label: t.whole }, ...fields.map((f) => ({ id: f.name, label: f.label }))]} />
        )
      )}
      {error && (error.faults.some((f) => f.location.startsWith('quote')) ? <Note tone="wait" role="alert">{t.noQuote}</Note> : <Problem error={error} />)}
      <NamingArea subject={subject} label={t.comment} value={text} people={people} onChange={(text, people) => change({ text, people })} onSend={() => void send(false)} onCancel={onCancel} autoFocus={autoFocus} />
      {step && (
        <Checkbox isSelected={must !== undefined} onChange={(on) => change({ must: on ? stepId : undefined })}>
          {t.mustFor(stepName(step))}
        </Checkbox>
      )}
      {suggestible && (
        <Checkbox isSelected={other !== undefined} onChange={(on) => change({ replace: on ? place.quote!.text : undefined })}>
          {t.otherWords}
        </Checkbox>
      )}
      {suggestible && other !== undefined && <TextArea label={t.instead} value={other} onChange={(replace) => change({ replace })} maxLength={4000} rows={2} />}
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
