import { useMutation, useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { CalendarClock, Eye, PenLine, Send, Undo2, Users } from 'lucide-react';
import { lazy, Suspense, useEffect, useRef, useState, type ReactNode } from 'react';
import { api, dataOf, ifMatch, type Schemas } from '../api/client';
import { queryClient, useSession } from '../api/queries';
import { useFormat } from '../i18n/format';
import { useTexts } from '../i18n/language';
import { Seal } from '../shell/seal';
import { actorName } from '../ui/actor';
import { Mono, Note, Problem, Time } from '../ui/basics';
import { Button } from '../ui/button';
import { focusNext } from '../ui/focus';
import { Confirm, Dialog } from '../ui/overlays';
import { toast } from '../ui/toast';
import ui from '../ui/ui.module.css';
import { useRoomForPanel } from '../ui/width';
import type { Decision } from './decision';
import { DecisionBox } from './decisionbox';
import { obstacle } from './foureyes';
import { approvalOf, auditQuery, at, isRelease, requestChanged, requestQuery, type Place, type ReleasePlace, type Request, type Subject } from './queries';
import styles from './review.module.css';
import type { ReviewSearch } from './search';
import { applying, currentIndex, stepOf, useStepName } from './steps';
import { Way } from './way';

const WithdrawDialog = lazy(() => import('./withdraw').then((m) => ({ default: m.WithdrawDialog })));
const ScheduleDialog = lazy(() => import('./schedule').then((m) => ({ default: m.ScheduleDialog })));

type PanelProps = { place: Place; request: Request; decision: Decision; search: ReviewSearch; project?: Schemas['Project']; page: string | undefined; comments: Comment[]; /** Whether nothing was published before the request; undefined until that is known. */ isFirst: boolean | undefined };

/** What was said about an earlier request. */
type Comment = { request: Request; action: Request['actions'][number] };

/** The column beside the content: the decision, the steps, and the sealed content. */
export function Panel({ place, request, decision, search, project, page, comments, isFirst }: PanelProps) {
  const t = useTexts('review').panel;
  const narrow = !useRoomForPanel();
  const stepTitle = useStepTitle(request);
  return (
    <>
      {decision.lost && <Lost before={decision.lost.before} now={decision.lost.now} comment={request.canAct ? '' : decision.comment} />}
      {request.canAct && !narrow && (
        <section>
          <h2>{stepTitle}</h2>
          <DecisionBox request={request} decision={decision} id="decision" />
        </section>
      )}
      <NotYours request={request} isFirst={isFirst} />
      {request.contentChanged && (
        <Note tone="wait" icon={<PenLine aria-hidden />}>
          {request.status === 'published' ? t.changedAfter : t.changed}{' '}
          {page !== undefined && request.status !== 'published' && `${t.pageOfDraft} `}
          {search.compare !== 'draft' && (
            <Link to="." search={{ ...search, tab: undefined, compare: 'draft' }}>
              {t.seeDifference}
            </Link>
          )}
        </Note>
      )}
      <EarlierComments comments={comments} />
      <section>
        <h2>{t.way}</h2>
        <Way request={request} project={project} />
        {isFirst !== undefined && <Contributors request={request} isFirst={isFirst} />}
        <Ways subject={place} request={request} project={project} />
      </section>
      <SealedContent subject={place} request={request}>
        <Link className={ui.link} to="." search={{ ...search, tab: 'record', compare: undefined }}>
          {t.record}
        </Link>
      </SealedContent>
      {request.canAct && narrow && <div className={styles.footRoom} />}
    </>
  );
}

/** What was said about earlier requests since the last publication. */
export function EarlierComments({ comments }: { comments: Comment[] }) {
  const t = useTexts('review').panel;
  const did = useTexts('common').requestStatus;
  const stepName = useStepName();
  if (comments.length === 0) return null;
  return (
    <section>
      <h2>{t.earlier}</h2>
      <ul className={styles.comments}>
        {comments.map(({ request, action }) => {
          const step = stepOf(request, action);
          return (
            <li key={action.id}>
              <b>{actorName(action.actor)}</b> {step && `(${stepName(step)}) `}
              <Time value={action.createdAt} as="dateTime" />
              <blockquote>{action.comment}</blockquote>
              <small>
                <Mono>{request.releaseNumber}</Mono> {did[request.status]}
              </small>
            </li>
          );
        })}
      </ul>
    </section>
  );
}

/** In place of the decision: why the user may not decide. */
export function NotYours({ request, isFirst = false }: { request: Request; isFirst?: boolean }) {
  const t = useTexts('review').panel;
  const { id } = useSession();
  const why = obstacle(request, id);
  if (!why) return null;
  return (
    <Note icon={<Eye aria-hidden />}>
      <p>{isFirst && (why === 'changed' || why === 'changedByToken') ? t.notYoursFirst[why] : t.notYours[why]}</p>
      {why !== 'role' && why !== 'seated' && <p>{t.fourEyes}</p>}
    </Note>
  );
}

/** The users and tokens that changed the entry since its last publication. */
export function Contributors({ request, isFirst }: { request: Request; isFirst: boolean }) {
  const t = useTexts('review').panel;
  const format = useFormat();
  if (request.contributors.length === 0) return null;
  const says = isFirst ? t.contributorsFirst : t.contributors;
  return <p className={styles.contributors}>{says(format.list(request.contributors.map((actor) => (actor.kind === 'token' ? t.token(actor.name) : actor.name))))}</p>;
}

export function useStepTitle(request: Request) {
  const t = useTexts('review').panel;
  const stepName = useStepName();
  const index = currentIndex(request);
  const steps = applying(request);
  const step = steps[index];
  return step ? t.yours(stepName(step), index + 1, steps.length) : '';
}

/** The bar at the bottom of a narrow window that opens the decision in a dialog. */
export function Foot({ request, decision, count }: { request: Request; decision: Decision; count?: number }) {
  const t = useTexts('review').panel;
  const narrow = !useRoomForPanel();
  const stepTitle = useStepTitle(request);
  if (!narrow) return null;
  return (
    <div className={styles.foot}>
      <span>{stepTitle}</span>
      <Button kind="primary" onPress={() => decision.setOpen(true)}>
        {t.decide}
      </Button>
      <Dialog title={stepTitle} isOpen={decision.isOpen} onClose={() => decision.setOpen(false)}>
        <DecisionBox request={request} decision={decision} id="decision" count={count} />
      </Dialog>
    </div>
  );
}

/** Shows which user decided while the page was open, and the current state. */
export function Lost({ before, now, comment }: { before: Request; now: Request; comment: string }) {
  const box = useRef<HTMLDivElement>(null);
  useEffect(() => void box.current?.focus(), [now.id]);
  const t = useTexts('review').panel;
  const stepName = useStepName();
  const action = now.actions.findLast((a) => !before.actions.some((b) => b.id === a.id) && a.type !== 'publish') ?? now.actions.at(-1);
  const steps = applying(now);
  const step = steps[currentIndex(now)];
  return (
    <div ref={box} tabIndex={-1}>
    <Note tone="wait" role="alert" icon={<Users aria-hidden />}>
      <p>{t.notSent}</p>
      {now.id !== before.id ? (
        <p>{t.otherRequest(now.releaseNumber)}</p>
      ) : (
        action && (
          <p>
            {t.did[action.type](actorName(action.actor))} <Time value={action.createdAt} />
            {action.comment && (
              <>
                : <q>{action.comment}</q>
              </>
            )}
          </p>
        )
      )}
      <p>{step ? t.nowAt(currentIndex(now) + 1, steps.length, stepName(step)) : t.nowIs[now.status]}</p>
      {comment.trim() && (
        <>
          <p>{t.yourWords}</p>
          <blockquote className={styles.kept}>{comment}</blockquote>
          <Button onPress={() => void navigator.clipboard.writeText(comment).then(() => toast(t.copied))}>{t.copy}</Button>
        </>
      )}
    </Note>
    </div>
  );
}

/** The other actions on a request: publish, reschedule and withdraw. */
export function Ways({ subject, request, project }: { subject: Subject; request: Request; project?: Schemas['Project'] }) {
  const t = useTexts('review').panel;
  const [asks, ask] = useState<'publish' | 'schedule' | 'withdraw'>();
  const open = request.status === 'pending' || request.status === 'approved';
  const schedules = request.canReschedule;
  const withdraws = open && project?.actions.includes(isRelease(subject) ? 'release.write' : 'content.write');

  const publish = useMutation({
    mutationFn: () => {
      const { route, at } = approvalOf(subject);
      return dataOf<Request>(api.POST(`${route}/publish-now`, { ...at, body: { contentHash: request.contentHash } }));
    },
    onSuccess: async (after) => {
      ask(undefined);
      toast(t.publishedNow);
      await requestChanged(after);
    },
  });
  const withdraw = useMutation({
    mutationFn: (comment?: string) => (isRelease(subject) ? withdrawRelease(subject, comment) : withdrawEntry(subject, request, comment)),
    onSuccess: async () => {
      ask(undefined);
      const after = await queryClient.fetchQuery({ ...requestQuery(subject), staleTime: 0 });
      if (after.status === 'withdrawn') toast(t.withdrawn);
      focusNext(() => document.querySelector<HTMLElement>('main article'));
      await requestChanged(after);
    },
  });
  const publishes = request.canPublishNow;
  if (!publishes && !schedules && !withdraws) return null;
  return (
    <div className={styles.release}>
      {publishes && (
        <Button wide icon={<Send aria-hidden />} onPress={() => ask('publish')}>
          {t.publishNow}
        </Button>
      )}
      {schedules && (
        <Button kind="quiet" icon={<CalendarClock aria-hidden />} onPress={() => ask('schedule')}>
          {t.reschedule}
        </Button>
      )}
      {withdraws && (
        <Button kind="quiet" icon={<Undo2 aria-hidden />} onPress={() => ask('withdraw')}>
          {t.withdraw}
        </Button>
      )}
      <Confirm title={t.publishNow} isOpen={asks === 'publish'} onClose={() => ask(undefined)} onConfirm={() => publish.mutate()} isPending={publish.isPending} action={t.publishNow}>
        <p>{isRelease(subject) ? t.publishAllAsk : t.publishAsk}</p>
        {publish.error && <Problem error={publish.error} />}
      </Confirm>
      <Suspense>
        {asks === 'withdraw' && <WithdrawDialog isOpen onClose={() => ask(undefined)} onConfirm={(comment) => withdraw.mutate(comment)} isPending={withdraw.isPending} error={withdraw.error} />}
        {asks === 'schedule' && <ScheduleDialog subject={subject} request={request} onClose={() => ask(undefined)} />}
      </Suspense>
    </div>
  );
}

/** Withdraws the request of an entry, if it still is its open one. */
async function withdrawEntry(place: Place, request: Request, comment?: string) {
  // published: false would unpublish an entry without an open request. If-Match ensures that
  // the entry still has this request.
  const entry = await dataOf<Schemas['ManagedEntry']>(api.GET('/api/projects/{projectId}/collections/{collectionId}/content/{contentId}', at(place)));
  if (entry.approval?.id !== request.id || (entry.approval.status !== 'pending' && entry.approval.status !== 'approved')) return;
  await api.PATCH('/api/projects/{projectId}/collections/{collectionId}/content/{contentId}', {
    params: { ...at(place).params, header: { 'If-Match': ifMatch(entry) } },
    body: { published: false, comment },
  });
}

async function withdrawRelease({ projectId, releaseId }: ReleasePlace, comment?: string) {
  await api.POST('/api/projects/{projectId}/releases/{releaseId}/approval/withdraw', { params: { path: { projectId, releaseId } }, body: { comment } });
}

/** The hash of the content, and whether the audit chain is valid. children: a link to the record. */
export function SealedContent({ subject, request, children }: { subject: Subject; request: Request; children?: ReactNode }) {
  const t = useTexts('review').panel;
  const audit = useQuery(auditQuery(subject)).data;
  const broken = audit && !(audit.valid && audit.snapshotValid);
  return (
    <section>
      <h2>{t.sealed}</h2>
      <div className={`${ui.card} ${styles.seal}`} data-broken={broken || undefined}>
        <Seal />
        <div>
          <span title={request.contentHash}>
            <Mono>
              {request.contentHash.slice(0, 8)} {request.contentHash.slice(8, 16)}
            </Mono>
          </span>
          <p>
            {isRelease(subject) ? t.sealedAllAs[request.status] : t.sealedAs[request.status]}{' '}
            {audit && (broken ? t.broken : t.verified(audit.actions.length))} {children}
          </p>
        </div>
      </div>
    </section>
  );
}
