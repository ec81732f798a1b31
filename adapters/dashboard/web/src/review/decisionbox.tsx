import { Check } from 'lucide-react';
import { useQuery } from '@tanstack/react-query';
import { useEffect, useRef, useState } from 'react';
import { mustOf } from '../comments/must';
import { usePending } from '../comments/pending';
import { inputOf, useAllUnsent, type Unsent } from '../comments/unsent';
import { useFormat } from '../i18n/format';
import { useTexts } from '../i18n/language';
import { Problem } from '../ui/basics';
import { Button } from '../ui/button';
import { TextArea } from '../ui/textfields';
import ui from '../ui/ui.module.css';
import type { Choice, Decision } from './decision';
import { commentsQuery, subjectOf, type Request } from './queries';
import styles from './review.module.css';
import { afterApproval, OnBehalf, useStepName } from './steps';


/** A form with the reviewer's comment and the decisions that the current step allows. count: the members of a release. */
export function DecisionBox({ request, decision, id, count }: { request: Request; decision: Decision; id: string; count?: number }) {
  const t = useTexts('review').decisionbox;
  const stepName = useStepName();
  const format = useFormat();
  const [fault, setFault] = useState<string>();
  const box = useRef<HTMLDivElement>(null);
  const { intent } = decision;
  const { step } = decision;
  const author = request.submittedBy.name.split(' ')[0] ?? '';

  useEffect(() => {
    if (intent) box.current?.querySelector('textarea')?.focus();
    else setFault(undefined);
  }, [intent]);

  const must = useQuery({ ...commentsQuery(subjectOf(request)), enabled: request.openComments > 0, select: mustOf(request, step?.stepId) }).data ?? 0;

  const [pending, setPending] = usePending(request.id);
  const [unsent, dropUnsent] = useAllUnsent(request.id);
  /** The decision that waits until the user says what becomes of comments that are not sent. */
  const [asks, ask] = useState<Choice>();
  useEffect(() => void ask(undefined), [request.id, intent]);

  if (!step) return null;
  const next = afterApproval(request, step);
  const send = () => {
    if (intent === 'request-revision' && !decision.comment.trim()) {
      setFault(t.needed);
      box.current?.querySelector('textarea')?.focus();
      return;
    }
    const choice = intent ?? 'approve';
    if (unsent.length > 0) ask(choice);
    else void decision.decide(choice);
  };
  return (
    <div className={ui.card} ref={box} data-decision>
      <div className={styles.decide}>
        {decision.error && <Problem error={decision.error} />}
        {(request.canActOn.length > 1 || request.canActFor) && <OnBehalf request={request} decision={decision} stepName={stepName} />}
        <TextArea
          label={intent === 'request-revision' ? t.revise(author) : intent === 'reject' ? t.why(author) : t.comment}
          placeholder={intent ? undefined : t.for(author)}
          required={intent === 'request-revision'}
          maxLength={4000}
          fault={fault}
          value={decision.comment}
          onChange={(value) => {
            decision.setComment(value);
            setFault(undefined);
          }}
          onKeyDown={(event) => {
            if (event.key === 'Enter' && (event.ctrlKey || event.metaKey)) {
              event.preventDefault();
              if (intent) send();
              else box.current?.querySelector<HTMLElement>('[data-approve]')?.focus();
            }
            if (event.key === 'Escape') {
              if (intent) decision.setIntent(undefined);
              else event.currentTarget.blur();
            }
          }}
        />
        {asks && unsent.length > 0 ? (
          <AskUnsent
            comments={unsent}
            onSend={() => {
              setPending([...pending, ...unsent.map(inputOf)]);
              dropUnsent();
              void decision.decide(asks);
            }}
            onKeep={() => void decision.decide(asks)}
            onCancel={() => ask(undefined)}
            isPending={decision.pending !== undefined}
          />
        ) : intent ? (
          <>
            <p className={styles.then}>{intent === 'reject' ? t.rejected : t.sentBack(author)}</p>
            <div className={styles.pair}>
              <Button onPress={() => decision.setIntent(undefined)} shortcut="Esc">
                {t.cancel}
              </Button>
              <Button kind={intent === 'reject' ? 'danger' : 'primary'} onPress={send} isPending={decision.pending !== undefined} shortcut="Ctrl ↵">
                {intent === 'reject' ? t.reject : t.sendBack}
              </Button>
            </div>
          </>
        ) : (
          <>
            <Button kind="primary" wide icon={<Check aria-hidden />} shortcut="A" onPress={send} isPending={decision.pending !== undefined} isDisabled={must > 0} data-approve aria-describedby={`${id}-then`}>
              {count === undefined ? t.approve : t.approveAll(count, format.number(count))}
            </Button>
            <p className={styles.then} id={`${id}-then`}>
              {must > 0 ? t.mustOpen(must, format.number(must)) : next === 'lacking' ? t.lacking : next ? t.goesTo(stepName(next)) : request.scheduledPublishAt && Date.parse(request.scheduledPublishAt) > Date.now() ? t.isScheduled : t.isPublished}
            </p>
            {(step.allowRevision || step.allowRejection) && (
              <div className={styles.pair}>
                {step.allowRevision && (
                  <Button shortcut="R" onPress={() => decision.setIntent('request-revision')}>
                    {t.requestRevision}
                  </Button>
                )}
                {step.allowRejection && (
                  <Button kind="danger" shortcut="X" onPress={() => decision.setIntent('reject')}>
                    {t.reject}
                  </Button>
                )}
              </div>
            )}
          </>
        )}
      </div>
    </div>
  );
}

type AskUnsentProps = { comments: readonly Unsent[]; onSend: () => void; onKeep: () => void; onCancel: () => void; isPending: boolean };

/** Asks what becomes of comments that are written, but not sent, before the decision leaves the request. */
function AskUnsent({ comments, onSend, onKeep, onCancel, isPending }: AskUnsentProps) {
  const t = useTexts('review').decisionbox;
  const box = useRef<HTMLDivElement>(null);
  useEffect(() => void box.current?.querySelector('button')?.focus(), []);
  return (
    <div className={styles.decide} ref={box} role="group" aria-label={t.unsent(comments.length)}>
      <p>{t.unsent(comments.length)}</p>
      {comments.map(({ entryId, text }) => (
        <blockquote key={entryId ?? 0} className={styles.kept} dir="auto">
          {text}
        </blockquote>
      ))}
      <Button kind="primary" wide onPress={onSend} isPending={isPending}>
        {t.sendIt(comments.length)}
      </Button>
      <Button wide onPress={onKeep} isPending={isPending}>
        {t.keepIt(comments.length)}
      </Button>
      <Button kind="quiet" wide onPress={onCancel}>
        {t.cancel}
      </Button>
    </div>
  );
}
