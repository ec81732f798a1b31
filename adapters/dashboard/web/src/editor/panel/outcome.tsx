import { useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { ArrowRight, Clock, Package, Plus } from 'lucide-react';
import { lazy, Suspense, Fragment, useState, type ReactNode } from 'react';
import type { Schemas } from '../../api/client';
import { Said } from '../../faults/said';
import { useFormat } from '../../i18n/format';
import { useTexts } from '../../i18n/language';
import { WithdrawDialog } from '../../review/withdraw';
import { Mono, Note, Problem, Time } from '../../ui/basics';
import { TextArea } from '../../ui/textfields';
import ui from '../../ui/ui.module.css';
import { useEditing, useMeta } from '../context';
import { approvalQuery, sendingQuery } from '../queries';
import type { Actions } from './actions';
import styles from './panel.module.css';
import { situationOf } from './situation';

const TimesDialog = lazy(() => import('./times').then((m) => ({ default: m.TimesDialog })));

/** "What will happen": the outcome of the main button, with the steps, the times and related actions. */
export function Outcome({ actions }: { actions: Actions }) {
  const t = useTexts('editor').outcome;
  const format = useFormat();
  const { store, project } = useEditing();
  const { entry } = useMeta(store);
  const { workflow, times } = actions;
  const situation = situationOf(entry, actions.governed, store.unsaved);
  const sending = useQuery({ ...sendingQuery(project.id, entry?.id ?? 0), enabled: situation === 'send' && entry !== undefined && workflow !== undefined }).data;
  const steps = ((sending?.workflow ?? workflow)?.steps ?? []).filter((s) => s.applies !== false);
  const barred = steps.filter((s) => s.unreachable);
  const visible = entry?.state === 'published';
  const people = useTexts('common').numbers.spelled(steps.length);
  return (
    <section aria-labelledby="outcome">
      <h2 id="outcome">{t.title}</h2>
      {entry?.release && <InRelease projectId={project.id} release={entry.release} />}
      <div className={`${ui.card} ${styles.outcome}`}>
        {situation === 'unknown' && <p>{t.reading}</p>}
        {situation === 'inReview' && <InReview actions={actions} />}
        {situation === 'approved' && (
          <>
            <p>
              {t.approved} {entry?.scheduledPublishAt && <Time value={entry.scheduledPublishAt} as="dateTime" />}
            </p>
            {!visible && entry?.scheduledUnpublishAt && <Ends at={entry.scheduledUnpublishAt} />}
            <Withdraw actions={actions} />
          </>
        )}
        {situation === 'scheduled' && (
          <>
            <p>
              {t.scheduled} <Time value={entry!.scheduledPublishAt!} as="dateTime" />
            </p>
            {entry!.scheduledUnpublishAt && <Ends at={entry!.scheduledUnpublishAt} />}
            <div className={styles.line}>
              <ChooseTimes actions={actions} at={entry!.scheduledPublishAt} until={entry!.scheduledUnpublishAt} direct>
                {t.changeTime}
              </ChooseTimes>
              <Quiet onPress={() => void actions.cancelSchedule()}>{t.cancelSchedule}</Quiet>
            </div>
          </>
        )}
        {situation === 'upToDate' && <p>{t.upToDate}</p>}
        {situation === 'send' && (
          <>
            <p>{visible ? t.keepUntil(people, steps.length) : t.nothingUntil(people, steps.length)}</p>
            <Flow steps={steps} />
            <TextArea label={t.note} hint={t.noteHint} value={actions.note} onChange={actions.setNote} maxLength={4000} rows={2} />
          </>
        )}
        {situation === 'publish' && (
          <p>
            {visible ? t.changesAtOnce : t.atOnce} {actions.exempt && t.exempt}
          </p>
        )}
        {(situation === 'send' || situation === 'publish' || situation === 'upToDate') && (
          <div className={styles.line}>
            <Clock aria-hidden />
            {situation !== 'upToDate' && <span>{times.publishAt ? t.at(format.dateTime(times.publishAt)) : situation === 'send' ? t.thenAtOnce : t.now}</span>}
            {times.unpublishAt && <span>{t.until(format.dateTime(times.unpublishAt))}</span>}
            <ChooseTimes actions={actions} at={times.publishAt} until={times.unpublishAt} onlyEnd={situation === 'upToDate'}>
              {times.publishAt || times.unpublishAt ? t.changeTime : situation === 'upToDate' ? t.chooseEnd : t.chooseTime}
            </ChooseTimes>
          </div>
        )}
        {visible && entry?.scheduledUnpublishAt && situation !== 'scheduled' && (
          <p>
            {t.ends} <Time value={entry.scheduledUnpublishAt} as="dateTime" />
            {!actions.governed && (
              <>
                {' '}
                <Quiet onPress={() => void actions.cancelSchedule()}>{t.cancelEnd}</Quiet>
              </>
            )}
          </p>
        )}
      </div>
      {entry?.scheduledPublishFault && (
        <Note tone="bad">
          {t.failed} {entry.scheduledPublishFault}
        </Note>
      )}
      {barred.length > 0 && situation === 'send' && (
        <Note tone="wait">
          {t.unreachable(format.list(barred.map((s) => nameOf(s, t))))} <Said text={barred.flatMap((s) => s.reasons ?? []).join('; ')} />
        </Note>
      )}
      {actions.error && <Problem error={actions.error} />}
    </section>
  );
}

/** The release that the entry is part of. */
function InRelease({ projectId, release: { id, name, state } }: { projectId: number; release: NonNullable<Schemas['ManagedEntry']['release']> }) {
  const t = useTexts('editor').outcome;
  if (state === 'closed') return null;
  return (
    <Note tone={state === 'pending' || state === 'approved' ? 'wait' : 'neutral'} icon={<Package aria-hidden />}>
      {t.release[state]}{' '}
      <Link to="/projects/$projectId/releases/$releaseId" params={{ projectId, releaseId: id }}>
        {name}
      </Link>
    </Note>
  );
}

type Step = Schemas['WorkflowStep'];

const nameOf = (step: Step, t: { step: (n: number) => string }) => step.stepLabel || t.step(step.stepOrder);

function Flow({ steps }: { steps: readonly Step[] }) {
  const t = useTexts('editor').outcome;
  return (
    <ol className={styles.flow} aria-label={t.steps}>
      {steps.map((step, i) => (
        <Fragment key={step.stepId ?? i}>
          <li>
            {nameOf(step, t)}
            {(step.approvals ?? 1) > 1 && ` × ${step.approvals}`}
            {i < steps.length - 1 && (steps[i + 1]!.stepOrder === step.stepOrder ? <Plus aria-hidden /> : <ArrowRight aria-hidden />)}
          </li>
        </Fragment>
      ))}
    </ol>
  );
}

/** The open request: its current step, and whether the draft has changed since. */
function InReview({ actions }: { actions: Actions }) {
  const t = useTexts('editor').outcome;
  const { store, project, collection } = useEditing();
  const { entry, savedAt } = useMeta(store);
  const request = useQuery(approvalQuery({ projectId: project.id, collectionId: collection.id }, entry!.id)).data;
  const steps = request?.steps.filter((s) => s.applies !== false) ?? [];
  const place = steps.findIndex((s) => s.stepId === request?.currentStep?.stepId);
  return (
    <>
      <p>
        <Link to="/review/$projectId/$collectionId/$entryId" params={{ projectId: project.id, collectionId: collection.id, entryId: entry!.id }}>
          <Mono>{entry!.approval!.releaseNumber}</Mono>
        </Link>{' '}
        {request?.currentStep ? t.waits(nameOf(request.currentStep, t), place + 1, steps.length) : t.waiting}
      </p>
      {request?.scheduledPublishAt && (
        <p>
          {t.goesOut} <Time value={request.scheduledPublishAt} as="dateTime" />
        </p>
      )}
      {request?.scheduledUnpublishAt && <Ends at={request.scheduledUnpublishAt} />}
      {(store.unsaved || request?.contentChanged || (request && savedAt && savedAt > Date.parse(request.submittedAt))) && <p>{t.later}</p>}
      <Withdraw actions={actions} />
    </>
  );
}

function Ends({ at }: { at: string }) {
  const t = useTexts('editor').outcome;
  return (
    <p>
      {t.ends} <Time value={at} as="dateTime" />
    </p>
  );
}

function Withdraw({ actions }: { actions: Actions }) {
  const t = useTexts('editor').outcome;
  const [asks, ask] = useState(false);
  return (
    <>
      <Quiet onPress={() => ask(true)}>{t.withdraw}</Quiet>
      <WithdrawDialog
        isOpen={asks}
        onClose={() => ask(false)}
        onConfirm={(comment) => {
          ask(false);
          void actions.withdraw(comment);
        }}
      />
    </>
  );
}

function ChooseTimes({ actions, at, until, onlyEnd, direct, children }: { actions: Actions; at: string | null; until: string | null; onlyEnd?: boolean; direct?: boolean; children: ReactNode }) {
  const [open, setOpen] = useState(false);
  return (
    <>
      <Quiet onPress={() => setOpen(true)}>{children}</Quiet>
      {open && (
        <Suspense fallback={null}><TimesDialog
          at={at}
          until={until}
          onlyEnd={onlyEnd}
          onClose={() => setOpen(false)}
          onChoose={(times) => {
            setOpen(false);
            if (direct) void actions.publish(times);
            else actions.setTimes(times);
          }}
        /></Suspense>
      )}
    </>
  );
}

function Quiet({ onPress, children }: { onPress: () => void; children: ReactNode }) {
  return (
    <button className={`${ui.link} ${styles.quiet}`} onClick={onPress}>
      {children}
    </button>
  );
}
