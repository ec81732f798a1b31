import { Check, X } from 'lucide-react';
import { lazy, Suspense, type ReactNode } from 'react';
import type { Schemas } from '../api/client';
import { useTexts } from '../i18n/language';
import { withTexts } from '../texts/load';
import { actorName } from '../ui/actor';
import { Mono, Time } from '../ui/basics';
import { Deciders, placeOf } from './deciders';
import type { Request } from './queries';
import styles from './review.module.css';
import { approvalsOf, OnBehalf, useStepName } from './steps';

const Deadline = lazy(() => withTexts(import('./deadline'), 'conditions').then((m) => ({ default: m.Deadline })));
const When = lazy(() => withTexts(import('./when'), 'conditions').then((m) => ({ default: m.When })));

type Action = Request['actions'][number];

/** The steps of a request from submission to publication, with the decisions so far. */
export function Way({ request, project }: { request: Request; project?: Schemas['Project'] }) {
  const t = useTexts('review').way;
  const stepName = useStepName();
  const submit = request.actions.find((a) => a.type === 'submit');
  const withdrawn = request.actions.findLast((a) => a.type === 'withdraw');
  const ended = ['rejected', 'revision_requested', 'withdrawn'].includes(request.status);
  return (
    <ol className={styles.way}>
      <Stop state="done" title={t.submitted} action={submit} />
      {request.steps.map((step) => {
        if (step.applies === false)
          return (
            <Stop key={step.stepId} state="skipped" title={stepName(step)}>
              <Suspense>{step.when && <When condition={step.when} skipped />}</Suspense>
            </Stop>
          );
        const approvals = approvalsOf(request, step);
        const given = approvals.length < (step.approvals ?? 1) ? approvals : approvals.slice(0, -1);
        const last = approvals.length > given.length ? approvals.at(-1) : request.actions.findLast((a) => a.stepOrder === step.stepOrder && (a.type === 'reject' || a.type === 'request_revision'));
        const before = given.map((a) => <small key={a.id}>{t.approved(actorName(a.actor))}{a.roleLost && ` ${t.roleLost}`}</small>);
        if (last)
          return (
            <Stop key={step.stepId} state={last.type === 'approve' ? 'done' : 'ended'} title={stepName(step)} verdict={last.type === 'approve' ? undefined : t.verdicts[last.type as keyof typeof t.verdicts]} action={last} before={before} />
          );
        if (ended) return null;
        const now = request.currentSteps.some((s) => s.stepId === step.stepId);
        return (
          <Stop key={step.stepId} state={now ? 'now' : 'open'} title={stepName(step)} before={before} after={(step.dueAt || step.escalatesAt) && <Deadline step={step} />} time={now ? <Time value={request.actions.at(-1)?.createdAt ?? request.submittedAt} as="duration" /> : undefined}>
            {(step.approvals ?? 1) > 1 && `${t.seats(approvals.length, step.approvals!)} `}
            {step.unreachable ? (
              t.unreachable
            ) : now && request.canActOn.includes(step.stepId ?? 0) ? (
              t.you
            ) : (
              project && <Deciders place={placeOf(project)} decider={{ roleKind: step.requiredRoleKind, customRoleId: step.requiredCustomRoleId, users: request.deciders.find((d) => d.stepId === step.stepId)?.userIds }} />
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

type StopProps = { state: 'done' | 'now' | 'open' | 'ended' | 'skipped'; title: string; verdict?: string; action?: Action; /** What was approved before the step was passed. */ before?: ReactNode; after?: ReactNode; time?: ReactNode; children?: ReactNode };

function Stop({ state, title, verdict, action, before, after, time, children }: StopProps) {
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
        {before}
        <small>
          {action ? actorName(action.actor) : children}
          {action?.roleLost && ` ${t.roleLost}`}
          {action?.comment && <q>{action.comment}</q>}
        </small>
        {action?.onBehalfOf && <OnBehalf of={action.onBehalfOf.name} />}
        <Suspense>{action?.by || action?.signature ? <Deadline action={action} /> : after}</Suspense>
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
