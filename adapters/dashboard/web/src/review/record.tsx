import { useQuery } from '@tanstack/react-query';
import { Download } from 'lucide-react';
import { useFormat } from '../i18n/format';
import { plural, texts, useTexts } from '../i18n/language';
import { Seal } from '../shell/seal';
import { Avatar, Chip, Mono, Note, Problem, Skeleton, Time } from '../ui/basics';
import ui from '../ui/ui.module.css';
import { auditQuery, historyQuery, publicationsQuery, type Place, type Request } from './queries';
import styles from './review.module.css';
import { requestTones, requestWords } from './status';
import { useStepName } from './steps';

/** The record of a request: its verified audit chain, its proof, and the entry's earlier requests. */
export function Record({ place, request, readable }: { place: Place; request: Request; readable: boolean }) {
  const t = useTexts(words);
  const audit = useQuery(auditQuery(place));
  if (!audit.data) return audit.error ? <Problem error={audit.error} retry={() => void audit.refetch()} /> : <Skeleton />;
  const { data } = audit;
  const whole = data.valid && data.snapshotValid;
  return (
    <div className={styles.record}>
      <h1>{request.title ?? request.releaseNumber}</h1>
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
      {readable && request.status === 'published' && <Proof place={place} request={request} />}
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
      <Earlier place={place} request={request} />
    </div>
  );
}

function ActionItem({ action, request }: { action: Request['actions'][number]; request: Request }) {
  const t = useTexts(words);
  const format = useFormat();
  const stepName = useStepName();
  const step = request.steps.find((s) => s.stepOrder === action.stepOrder);
  const drifted = action.draftHash !== action.contentHash;
  return (
    <li>
      <Avatar name={action.actor.name} />
      <div>
        <p>
          <b>{action.actor.kind === 'system' ? t.system : action.actor.name}</b> {t.did[action.type]}
          {step && ` (${stepName(step)})`}
          {action.actor.kind === 'token' && <Chip plain>{t.token}</Chip>}
        </p>
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
  const t = useTexts(words);
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

function Earlier({ place, request }: { place: Place; request: Request }) {
  const t = useTexts(words);
  const status = useTexts(requestWords);
  const earlier = useQuery(historyQuery(place)).data?.data.filter((r) => r.id !== request.id) ?? [];
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
                  {last.comment} <small>{last.actor.name}</small>
                </blockquote>
              )}
            </li>
          );
        })}
      </ul>
    </section>
  );
}

const words = texts({
  en: {
    whole: 'The record is whole',
    wholeWhy: (n: number) => `${n} ${plural(n, 'action was', 'actions were')} checked one by one: each fits the one before it, and the content is what was submitted.`,
    broken: 'The record is not whole',
    brokenWhy: 'Something was changed outside the program, or lost. Tell the operators before you decide.',
    actions: 'What was done',
    hashes: 'Hashes (SHA-256)',
    content: 'Content',
    chain: 'Last action',
    did: {
      submit: 'submitted',
      approve: 'approved',
      reject: 'rejected',
      request_revision: 'asked for a revision',
      withdraw: 'withdrew the request',
      publish_now: 'published before its time',
      reschedule: 'changed the time',
      publish: 'published',
    },
    system: 'Imprimatur',
    token: 'Token',
    for: (time: string) => `To go out ${time}`,
    until: (time: string) => `To end ${time}`,
    drifted: 'The draft was already different from what was submitted.',
    deleted: 'The entry no longer existed.',
    proof: 'Download the proof',
    proofWhy: 'This installation signs it. Anyone can check that:',
    earlier: (n: number) => plural(n, 'An earlier request', 'Earlier requests'),
    by: (name: string) => `by ${name},`,
  },
  de: {
    whole: 'Das Protokoll ist vollständig',
    wholeWhy: (n) => `${n} ${plural(n, 'Handlung wurde', 'Handlungen wurden')} einzeln geprüft: Jede passt zu der davor, und der Inhalt ist der eingereichte.`,
    broken: 'Das Protokoll ist nicht vollständig',
    brokenWhy: 'Etwas wurde außerhalb des Programms geändert oder ging verloren. Sagen Sie es dem Betrieb, bevor Sie entscheiden.',
    actions: 'Was geschah',
    hashes: 'Prüfsummen (SHA-256)',
    content: 'Inhalt',
    chain: 'Letzte Handlung',
    did: {
      submit: 'hat eingereicht',
      approve: 'hat freigegeben',
      reject: 'hat abgelehnt',
      request_revision: 'hat eine Überarbeitung angefordert',
      withdraw: 'hat den Antrag zurückgezogen',
      publish_now: 'hat vor dem Termin veröffentlicht',
      reschedule: 'hat den Termin geändert',
      publish: 'hat veröffentlicht',
    },
    system: 'Imprimatur',
    token: 'Token',
    for: (time) => `Geht hinaus am ${time}`,
    until: (time) => `Endet am ${time}`,
    drifted: 'Der Entwurf war schon anders als das Eingereichte.',
    deleted: 'Den Eintrag gab es nicht mehr.',
    proof: 'Nachweis herunterladen',
    proofWhy: 'Diese Installation unterschreibt ihn. Das kann jeder prüfen:',
    earlier: (n) => plural(n, 'Ein früherer Antrag', 'Frühere Anträge'),
    by: (name) => `von ${name},`,
  },
});
