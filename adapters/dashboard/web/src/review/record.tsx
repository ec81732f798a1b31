import { useQuery } from '@tanstack/react-query';
import { Download, Printer } from 'lucide-react';
import { lazy, Suspense } from 'react';
import { useFormat } from '../i18n/format';
import { useTexts } from '../i18n/language';
import { Seal } from '../shell/seal';
import { actorName } from '../ui/actor';
import { Avatar, Chip, Mono, Note, Problem, Skeleton, Time } from '../ui/basics';
import { Button } from '../ui/button';
import ui from '../ui/ui.module.css';
import { titleOf } from './open';
import { auditQuery, historyQuery, isRelease, publicationsQuery, type Place, type Request, type Subject } from './queries';
import styles from './review.module.css';
import { requestTones } from './status';
import { OnBehalf, stepOf, useStepName } from './steps';
import { withTexts } from '../texts/load';

const PrintedRecord = lazy(() => withTexts(import('./print'), 'conditions').then((m) => ({ default: m.PrintedRecord })));
const Deadline = lazy(() => withTexts(import('./deadline'), 'conditions').then((m) => ({ default: m.Deadline })));

/** The record of a request: its verified audit chain, its proof, and the entry's earlier requests. */
export function Record({ subject, request, readable }: { subject: Subject; request: Request; readable: boolean }) {
  const t = useTexts('review').record;
  const audit = useQuery(auditQuery(subject));
  if (!audit.data) return audit.error ? <Problem error={audit.error} retry={() => void audit.refetch()} /> : <Skeleton />;
  const { data } = audit;
  const whole = data.valid && data.snapshotValid;
  return (
    <div className={styles.record}>
      <h1>{titleOf(request) ?? request.releaseNumber}</h1>
      <div className={`${ui.card} ${styles.seal}`} data-broken={!whole || undefined}>
        <Seal />
        <div>
          <b>{whole ? t.whole : t.broken}</b>
          <p>{whole ? t.wholeWhy(data.actions.length) : t.brokenWhy}</p>
        </div>
      </div>
      {data.faults.length > 0 && (
        <Note tone="bad">
          <ul>
            {data.faults.map((f) => (
              <li key={f.location + f.message}>
                <Mono>{f.location}</Mono> {f.message}
              </li>
            ))}
          </ul>
        </Note>
      )}
      <Button kind="quiet" icon={<Printer aria-hidden />} onPress={() => print()}>
        {t.print}
      </Button>
      <Suspense>
        <PrintedRecord request={request} actions={data.actions} chainHash={data.chainHash} intact={whole} />
      </Suspense>
      {readable && request.status === 'published' && !isRelease(subject) && <Proof place={subject} request={request} />}
      <section>
        <h2>{t.actions}</h2>
        <ol className={styles.actions}>
          {data.actions.map((action) => (
            <ActionItem key={action.id} action={action} request={request} />
          ))}
        </ol>
      </section>
      <section>
        <h2>{t.hashes}</h2>
        <dl className={styles.hashes}>
          <div>
            <dt>{t.content}</dt>
            <dd>
              <Mono>{data.contentHash}</Mono>
            </dd>
          </div>
          <div>
            <dt>{t.chain}</dt>
            <dd>
              <Mono>{data.chainHash}</Mono>
            </dd>
          </div>
        </dl>
      </section>
      <Earlier subject={subject} request={request} />
    </div>
  );
}

function ActionItem({ action, request }: { action: Request['actions'][number]; request: Request }) {
  const t = useTexts('review').record;
  const format = useFormat();
  const stepName = useStepName();
  const step = stepOf(request, action);
  const drifted = action.draftHash !== action.contentHash;
  return (
    <li>
      <Avatar name={actorName(action.actor)} />
      <div>
        <p>
          <b>{actorName(action.actor)}</b> {t.did[action.type]}
          {step && ` (${stepName(step)})`}
          {action.actor.kind === 'token' && <Chip plain>{t.token}</Chip>}
        </p>
        {action.onBehalfOf && <OnBehalf of={action.onBehalfOf.name} />}
        <Suspense>{(action.by || action.signature) && <Deadline action={action} />}</Suspense>
        {action.verified && <p>{t.verified[action.verified]}</p>}
        {action.scheduledPublishAt && <p>{t.for(format.dateTime(action.scheduledPublishAt))}</p>}
        {action.scheduledUnpublishAt && <p>{t.until(format.dateTime(action.scheduledUnpublishAt))}</p>}
        {action.comment && <blockquote>{action.comment}</blockquote>}
        {drifted && <p className={styles.then}>{action.draftHash === null ? t.deleted : t.drifted}</p>}
        <span title={action.hash}>
          <Mono>{action.hash.slice(0, 16)}</Mono>
        </span>
      </div>
      <Time value={action.createdAt} as="dateTime" />
    </li>
  );
}

/** The proof of the publication that this request led to. */
function Proof({ place, request }: { place: Place; request: Request }) {
  const t = useTexts('review').record;
  const publication = useQuery(publicationsQuery(place)).data?.data.find((p) => p.requestId === request.id);
  if (!publication) return null;
  const path = `/api/projects/${place.projectId}/collections/${place.collectionId}/content/${place.entryId}/publications/${publication.number}/proof`;
  return (
    <p className={styles.proof}>
      <a className={ui.button} href={path} download={`${request.releaseNumber}-proof.json`}>
        <Download aria-hidden />
        {t.proof}
      </a>
      <span>
        {t.proofWhy}{' '}
        <Mono>
          imprimatur verify {request.releaseNumber}-proof.json --key {window.location.origin}/.well-known/imprimatur-keys.json
        </Mono>
      </span>
    </p>
  );
}

function Earlier({ subject, request }: { subject: Subject; request: Request }) {
  const t = useTexts('review').record;
  const status = useTexts('common').requestStatus;
  const earlier = useQuery(historyQuery(subject)).data?.data.filter((r) => r.id !== request.id) ?? [];
  if (earlier.length === 0) return null;
  return (
    <section>
      <h2>{t.earlier(earlier.length)}</h2>
      <ul className={styles.earlier}>
        {earlier.map((r) => {
          const last = r.actions.findLast((a) => a.comment);
          return (
            <li key={r.id}>
              <Mono>{r.releaseNumber}</Mono> <Chip tone={requestTones[r.status]}>{status[r.status]}</Chip>
              <span>
                {t.by(r.submittedBy.name)} <Time value={r.submittedAt} as="dateTime" />
              </span>
              {last && (
                <blockquote>
                  {last.comment} <small>{actorName(last.actor)}</small>
                </blockquote>
              )}
            </li>
          );
        })}
      </ul>
    </section>
  );
}
