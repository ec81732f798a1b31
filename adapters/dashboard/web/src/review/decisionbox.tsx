import { Check } from 'lucide-react';
import { useQuery } from '@tanstack/react-query';
import { lazy, Suspense, useEffect, useRef, useState } from 'react';
import { mustOf } from '../comments/must';
import { useAllUnsent } from '../comments/unsent';
import { useFormat } from '../i18n/format';
import { useTexts } from '../i18n/language';
import { withTexts } from '../texts/load';
import { Problem } from '../ui/basics';
import { Button } from '../ui/button';
import { TextArea } from '../ui/textfields';
import ui from '../ui/ui.module.css';
import type { Choice, Decision } from './decision';
import { commentsQuery, subjectOf, type Request } from './queries';
import styles from './review.module.css';
import { afterApproval, OnBehalf, useStepName } from './steps';

const AskUnsent = lazy(() => withTexts(import('./askunsent'), 'comments').then((m) => ({ default: m.AskUnsent })));

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

  const [unsent] = useAllUnsent(request.id);
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
          <Suspense>
            <AskUnsent request={request} onDecide={() => void decision.decide(asks)} onCancel={() => ask(undefined)} isPending={decision.pending !== undefined} />
          </Suspense>
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
