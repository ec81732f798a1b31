import { Check, X } from 'lucide-react';
import type { ReactNode } from 'react';
import type { Schemas } from '../api/client';
import { useTexts } from '../i18n/language';
import { actorName } from '../ui/actor';
import { Mono, Time } from '../ui/basics';
import { Deciders, placeOf } from './deciders';
import type { Request } from './queries';
import styles from './review.module.css';
import { currentIndex, useStepName } from './steps';

type Action = Request['actions'][number];

/** The steps of a request from submission to publication, with the decisions so far. */
export function Way({ request, project }: { request: Request; project?: Schemas['Project'] }) {
  const t = useTexts('review').way;
  const stepName = useStepName();
  const now = currentIndex(request);
  const submit = request.actions.find((a) => a.type === 'submit');
  const withdrawn = request.actions.findLast((a) => a.type === 'withdraw');
  const ended = ['rejected', 'revision_requested', 'withdrawn'].includes(request.status);
  return (
    <ol className={styles.way}>
      <Stop state="done" title={t.submitted} action={submit} />
      {request.steps.map((step, i) => {
        const action = request.actions.findLast((a) => a.stepOrder === step.stepOrder && ['approve', 'reject', 'request_revision'].includes(a.type));
        if (action) return <Stop key={step.stepOrder} state={action.type === 'approve' ? 'done' : 'ended'} title={stepName(step)} verdict={action.type === 'approve' ? undefined : t.verdicts[action.type as keyof typeof t.verdicts]} action={action} />;
        if (ended) return null;
        return (
          <Stop key={step.stepOrder} state={i === now ? 'now' : 'open'} title={stepName(step)} time={i === now ? <Time value={request.actions.at(-1)?.createdAt ?? request.submittedAt} as="duration" /> : undefined}>
            {step.unreachable ? (
              t.unreachable
            ) : i === now && request.canAct ? (
              t.you
            ) : (
              project && <Deciders place={placeOf(project)} decider={{ roleKind: step.requiredRoleKind, customRoleId: step.requiredCustomRoleId, users: request.deciders.find((d) => d.stepOrder === step.stepOrder)?.userIds }} />
            )}
          </Stop>
        );
      })}
      {withdrawn ? <Stop state="ended" title={t.withdrawn} action={withdrawn} /> : ended ? null : <GoesOut request={request} />}
      {request.scheduledUnpublishAt && !ended && (
        <Stop state="open" title={t.ends}>
          <Time value={request.scheduledUnpublishAt} as="planned" />
        </Stop>
      )}
    </ol>
  );
}

function GoesOut({ request }: { request: Request }) {
  const t = useTexts('review').way;
  if (request.publishedAt) {
    const early = request.actions.findLast((a) => a.type === 'publish_now');
    return <Stop state="done" title={t.published} time={<Time value={request.publishedAt} as="planned" />}>{early && actorName(early.actor)}</Stop>;
  }
  return (
    <Stop state={request.status === 'approved' ? 'now' : 'open'} title={t.goesOut}>
      {request.scheduledPublishAt ? <Time value={request.scheduledPublishAt} as="planned" /> : t.onApproval}
    </Stop>
  );
}

type StopProps = { state: 'done' | 'now' | 'open' | 'ended'; title: string; verdict?: string; action?: Action; time?: ReactNode; children?: ReactNode };

function Stop({ state, title, verdict, action, time, children }: StopProps) {
  const { way: t, record } = useTexts('review');
  return (
    <li data-state={state} aria-current={state === 'now' ? 'step' : undefined}>
      <span className={styles.dot} aria-hidden>
        {state === 'done' ? <Check /> : state === 'ended' ? <X /> : null}
      </span>
      <div>
        <b>{title}</b>
        <span className="visually-hidden">{t.states[state]}</span>
        {verdict && <strong>{verdict}</strong>}
        <small>
          {action ? actorName(action.actor) : children}
          {action?.comment && <q>{action.comment}</q>}
        </small>
        {action?.verified && <small>{record.verified[action.verified]}</small>}
        {action && (
          <small title={action.contentHash}>
            <Mono>{action.contentHash.slice(0, 8)}</Mono>
          </small>
        )}
      </div>
      {action ? <Time value={action.createdAt} as="planned" /> : time}
    </li>
  );
}
