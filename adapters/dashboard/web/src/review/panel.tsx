import { useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { PenLine } from 'lucide-react';
import { lazy, Suspense, type ReactNode } from 'react';
import type { Schemas } from '../api/client';
import { useFormat } from '../i18n/format';
import { useTexts } from '../i18n/language';
import { Seal } from '../shell/seal';
import { Mono, Note } from '../ui/basics';
import { Button } from '../ui/button';
import { Dialog } from '../ui/overlays';
import ui from '../ui/ui.module.css';
import { useRoomForPanel } from '../ui/width';
import type { Decision } from './decision';
import { DecisionBox } from './decisionbox';
import { auditQuery, isRelease, type Answer, type Place, type Request, type Subject } from './queries';
import styles from './review.module.css';
import type { ReviewSearch } from './search';
import { applying, currentIndex, useStepName } from './steps';
import { Way } from './way';

const Obstacle = lazy(() => import('./past').then((m) => ({ default: m.NotYours })));
const Earlier = lazy(() => import('./past').then((m) => ({ default: m.EarlierComments })));
const LostDecision = lazy(() => import('./past').then((m) => ({ default: m.Lost })));
const OtherWays = lazy(() => import('./ways').then((m) => ({ default: m.Ways })));

type PanelProps = { place: Place; request: Request; decision: Decision; search: ReviewSearch; project?: Schemas['Project']; page: string | undefined; comments: Answer[]; /** Whether nothing was published before the request; undefined until that is known. */ isFirst: boolean | undefined };

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
export const EarlierComments = (props: { comments: Answer[] }) =>
  props.comments.length > 0 && (
    <Suspense>
      <Earlier {...props} />
    </Suspense>
  );

/** In place of the decision: why the user may not decide. */
export const NotYours = (props: { request: Request; isFirst?: boolean }) =>
  !props.request.canAct && (
    <Suspense>
      <Obstacle {...props} />
    </Suspense>
  );

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

/** The bar at the bottom of a narrow window, or of a page without its panel, that opens the decision in a dialog. */
export function Foot({ request, decision, count, always = false }: { request: Request; decision: Decision; count?: number; /** The panel is not shown. */ always?: boolean }) {
  const t = useTexts('review').panel;
  const narrow = !useRoomForPanel();
  const stepTitle = useStepTitle(request);
  if (!narrow && !always) return null;
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
export const Lost = (props: { before: Request; now: Request; comment: string }) => (
  <Suspense>
    <LostDecision {...props} />
  </Suspense>
);

/** The other actions on a request: publish, reschedule and withdraw. */
export const Ways = (props: { subject: Subject; request: Request; project?: Schemas['Project'] }) => (
  <Suspense>
    <OtherWays {...props} />
  </Suspense>
);

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
