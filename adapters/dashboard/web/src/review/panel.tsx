import { useMutation, useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { CalendarClock, Eye, PenLine, Send, Undo2, Users } from 'lucide-react';
import { lazy, Suspense, useEffect, useRef, useState } from 'react';
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
import { at, auditQuery, requestChanged, requestQuery, type Place, type Request } from './queries';
import styles from './review.module.css';
import type { ReviewSearch } from './search';
import { currentIndex, useStepName } from './steps';
import { Way } from './way';
import { WithdrawDialog } from './withdraw';

const ScheduleDialog = lazy(() => import('./schedule').then((m) => ({ default: m.ScheduleDialog })));

type PanelProps = { place: Place; request: Request; decision: Decision; search: ReviewSearch; project?: Schemas['Project']; page: string | undefined; comments: Comment[] };

/** What was said about an earlier request. */
type Comment = { request: Request; action: Request['actions'][number] };

/** The column beside the content: the decision, the steps, and the sealed content. */
export function Panel({ place, request, decision, search, project, page, comments }: PanelProps) {
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
      <NotYours request={request} />
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
        <Contributors request={request} />
        <Release place={place} request={request} project={project} />
      </section>
      <SealedContent place={place} request={request} search={search} />
      {request.canAct && narrow && <div className={styles.footRoom} />}
    </>
  );
}

/** What was said about earlier requests since the last publication. */
function EarlierComments({ comments }: { comments: Comment[] }) {
  const t = useTexts('review').panel;
  const did = useTexts('common').requestStatus;
  const stepName = useStepName();
  if (comments.length === 0) return null;
  return (
    <section>
      <h2>{t.earlier}</h2>
      <ul className={styles.comments}>
        {comments.map(({ request, action }) => {
          const step = request.steps.find((s) => s.stepOrder === action.stepOrder);
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
function NotYours({ request }: { request: Request }) {
  const t = useTexts('review').panel;
  const { id } = useSession();
  const why = obstacle(request, id);
  if (!why) return null;
  return (
    <Note icon={<Eye aria-hidden />}>
      <p>{t.notYours[why]}</p>
      {why !== 'role' && <p>{t.fourEyes}</p>}
    </Note>
  );
}

/** The users and tokens that changed the entry since its last publication. */
function Contributors({ request }: { request: Request }) {
  const t = useTexts('review').panel;
  const format = useFormat();
  if (request.contributors.length === 0) return null;
  return <p className={styles.contributors}>{t.contributors(format.list(request.contributors.map((actor) => (actor.kind === 'token' ? t.token(actor.name) : actor.name))))}</p>;
}

function useStepTitle(request: Request) {
  const t = useTexts('review').panel;
  const stepName = useStepName();
  const index = currentIndex(request);
  const step = request.steps[index];
  return step ? t.yours(stepName(step), index + 1, request.steps.length) : '';
}

/** The bar at the bottom of a narrow window that opens the decision in a dialog. */
export function Foot({ request, decision }: { request: Request; decision: Decision }) {
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
        <DecisionBox request={request} decision={decision} id="decision" />
      </Dialog>
    </div>
  );
}

/** Shows which user decided while the page was open, and the current state. */
function Lost({ before, now, comment }: { before: Request; now: Request; comment: string }) {
  const box = useRef<HTMLDivElement>(null);
  useEffect(() => box.current?.focus(), [now.id]);
  const t = useTexts('review').panel;
  const stepName = useStepName();
  const action = now.actions.findLast((a) => !before.actions.some((b) => b.id === a.id) && a.type !== 'publish') ?? now.actions.at(-1);
  const step = now.steps[currentIndex(now)];
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
      <p>{step ? t.nowAt(currentIndex(now) + 1, now.steps.length, stepName(step)) : t.nowIs[now.status]}</p>
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
function Release({ place, request, project }: { place: Place; request: Request; project?: Schemas['Project'] }) {
  const t = useTexts('review').panel;
  const [asks, ask] = useState<'publish' | 'schedule' | 'withdraw'>();
  const open = request.status === 'pending' || request.status === 'approved';
  const schedules = request.canReschedule;
  const withdraws = open && project?.actions.includes('content.write');

  const publish = useMutation({
    mutationFn: () => dataOf<Request>(api.POST('/api/projects/{projectId}/collections/{collectionId}/content/{contentId}/approval/publish-now', { ...at(place), body: { contentHash: request.contentHash } })),
    onSuccess: async (after) => {
      ask(undefined);
      toast(t.publishedNow);
      await requestChanged(place, after);
    },
  });
  const withdraw = useMutation({
    mutationFn: async (comment?: string) => {
      // published: false would unpublish an entry without an open request. If-Match ensures that
      // the entry still has this request.
      const entry = await dataOf<Schemas['ManagedEntry']>(api.GET('/api/projects/{projectId}/collections/{collectionId}/content/{contentId}', at(place)));
      if (entry.approval?.id !== request.id || (entry.approval.status !== 'pending' && entry.approval.status !== 'approved')) return;
      await api.PATCH('/api/projects/{projectId}/collections/{collectionId}/content/{contentId}', {
        params: { ...at(place).params, header: { 'If-Match': ifMatch(entry.version) } },
        body: { published: false, comment },
      });
    },
    onSuccess: async () => {
      ask(undefined);
      const after = await queryClient.fetchQuery({ ...requestQuery(place), staleTime: 0 });
      if (after.status === 'withdrawn') toast(t.withdrawn);
      focusNext(() => document.querySelector<HTMLElement>('main article'));
      await requestChanged(place, after);
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
        <p>{t.publishAsk}</p>
        {publish.error && <Problem error={publish.error} />}
      </Confirm>
      <WithdrawDialog isOpen={asks === 'withdraw'} onClose={() => ask(undefined)} onConfirm={(comment) => withdraw.mutate(comment)} isPending={withdraw.isPending} error={withdraw.error} />
      {asks === 'schedule' && (
        <Suspense>
          <ScheduleDialog place={place} request={request} onClose={() => ask(undefined)} />
        </Suspense>
      )}
    </div>
  );
}

/** The hash of the content, and whether the audit chain is valid. */
function SealedContent({ place, request, search }: { place: Place; request: Request; search: ReviewSearch }) {
  const t = useTexts('review').panel;
  const audit = useQuery(auditQuery(place)).data;
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
            {t.sealedAs[request.status]}{' '}
            {audit && (broken ? t.broken : t.verified(audit.actions.length))}{' '}
            <Link className={ui.link} to="." search={{ ...search, tab: 'record', compare: undefined }}>
              {t.record}
            </Link>
          </p>
        </div>
      </div>
    </section>
  );
}
