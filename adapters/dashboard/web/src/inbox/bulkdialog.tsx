import { Link } from '@tanstack/react-router';
import { CircleAlert, CircleCheck, Eye, LoaderCircle } from 'lucide-react';
import { useEffect, useRef, useState, type ReactNode } from 'react';
import { api, dataOf, type Schemas } from '../api/client';
import { asApiError } from '../api/error';
import { useSession } from '../api/queries';
import { runAll, type Outcome } from '../content/bulk';
import { Said } from '../faults/said';
import { useFormat } from '../i18n/format';
import { useTexts } from '../i18n/language';
import { reviewLink, titleOf } from '../review/open';
import { approvalOf, requestsChanged, subjectOf } from '../review/queries';
import { afterApproval, useStepName } from '../review/steps';
import { Mono, ProblemLine, Time } from '../ui/basics';
import { Button } from '../ui/button';
import { DateField } from '../ui/datefield';
import { Dialog } from '../ui/overlays';
import { TextArea } from '../ui/textfields';
import { hasApproved, hasTimes, mustRead, type BulkAction, type Reading, type Times } from './bulk';
import styles from '../ui/bulk.module.css';

type Request = Schemas['ApprovalRequest'];

/** A request as it is now, and why it is left out. */
type Checked = { now: Request; left?: Reading };

type BulkProps = { action: BulkAction; requests: readonly Request[]; /** done: the requests that the action has changed, as they are now. */ onClose: (done: readonly Request[]) => void };

const set = <T,>(index: number, value: T) => (old: readonly T[]) => old.with(index, value);

/**
 * Asks for and makes the same decision about several requests. Each is read again before the question, is
 * decided by a request of its own for the step and the content that the list showed, and has its own result.
 */
export function BulkDialog({ action, requests, onClose }: BulkProps) {
  const t = useTexts('inbox').bulk;
  const format = useFormat();
  const me = useSession().id;
  const waiting = (): Outcome<Checked>[] => requests.map(() => ({ state: 'waiting' }));
  const [phase, setPhase] = useState<'checking' | 'asking' | 'running' | 'ended'>('checking');
  const [checks, setChecks] = useState<readonly Outcome<Checked>[]>(waiting);
  const [outcomes, setOutcomes] = useState<readonly Outcome<Checked>[]>(waiting);
  const [comment, setComment] = useState('');
  const [publishAt, setPublishAt] = useState<string | null>(null);
  const [unpublishAt, setUnpublishAt] = useState<string | null>(null);
  const stop = useRef<AbortController>(undefined);
  const times: Times = { ...(publishAt && { publishAt }), ...(unpublishAt && { unpublishAt }) };

  const run = async (which: readonly number[], work: (request: Request) => Promise<Checked>, report: (index: number, outcome: Outcome<Checked>) => void) => {
    const controller = new AbortController();
    stop.current = controller;
    const each = async (index: number) => {
      try {
        return await work(requests[index]!);
      } catch (error) {
        if (asApiError(error).status === 0) controller.abort(); // without a connection, all others would fail too
        throw error;
      }
    };
    await runAll(which, each, (i, outcome) => report(which[i]!, outcome), controller.signal);
    return controller;
  };
  const check = async (which: readonly number[]) => {
    setPhase('checking');
    const controller = await run(which, (seen) => checked(action, seen), (i, outcome) => setChecks(set(i, outcome)));
    if (stop.current === controller) setPhase('asking');
  };
  const decide = async (which: readonly number[]) => {
    setPhase('running');
    const changed: Request[] = [];
    const work = async (seen: Request) => {
      const result = await (action === 'approve' ? approve(seen, comment.trim(), me) : schedule(seen, times));
      changed.push(result.now);
      return result;
    };
    await run(which, work, (i, outcome) => setOutcomes(set(i, outcome)));
    setPhase('ended');
    void requestsChanged(changed);
  };
  const all = requests.map((_, i) => i);
  useEffect(() => {
    void check(all);
    return () => {
      stop.current?.abort();
      stop.current = undefined;
    };
    // The selection cannot change while the dialog is open.
    // eslint-disable-next-line react-hooks/exhaustive-deps
  }, []);

  const leftBefore = all.filter((i) => leftOf(checks[i]!));
  const unread = all.filter((i) => checks[i]!.state !== 'done');
  const ready = all.filter((i) => checks[i]!.state === 'done' && !leftOf(checks[i]!));
  const done = ready.filter((i) => outcomes[i]!.state === 'done' && !leftOf(outcomes[i]!));
  const left = [...leftBefore, ...ready.filter((i) => leftOf(outcomes[i]!))];
  const rest = ready.filter((i) => outcomes[i]!.state === 'failed' || outcomes[i]!.state === 'waiting');
  const failed = rest.filter((i) => outcomes[i]!.state === 'failed');
  const close = () => onClose(done.flatMap((i) => (outcomes[i] as { result: Checked }).result.now));
  const number = ({ length }: readonly unknown[]) => format.number(length);
  const some = (n: number) => (n === 0 ? '' : format.number(n));
  const leftList = (
    <List title={t.left(left.length, number(left))} shown={left.length > 0}>
      {left.map((i) => (
        <Left key={requests[i]!.id} request={requests[i]!} checked={resultOf(leftOf(outcomes[i]!) ? outcomes[i]! : checks[i]!)} onOpen={close} />
      ))}
    </List>
  );
  return (
    <Dialog title={t.title[action](requests.length, number(requests))} isOpen onClose={close} dismissable={phase !== 'running'}>
      {phase === 'checking' && <p role="status">{t.checking}</p>}
      {phase === 'asking' && (
        <>
          {unread.length > 0 && (
            <List title={t.unread(unread.length, number(unread))} shown>
              {unread.map((i) => (
                <Item key={requests[i]!.id} request={requests[i]!} state="failed" label={t.states.failed}>
                  <Failure outcome={checks[i]!} />
                </Item>
              ))}
            </List>
          )}
          {leftList}
          {ready.length > 0 && (
            <>
              <p>{t.what[action](ready.length, number(ready))}</p>
              <List title={t.names} shown>
                {ready.map((i) => (
                  <Item key={requests[i]!.id} request={requests[i]!} state="waiting">
                    {action === 'approve' && <Next request={requests[i]!} />}
                  </Item>
                ))}
              </List>
              {action === 'approve' ? (
                <TextArea label={t.comment} hint={t.commentHint} value={comment} onChange={setComment} maxLength={4000} rows={2} />
              ) : (
                <>
                  <p>{t.zone(format.timeZone)}</p>
                  <DateField kind="datetime" label={t.from} value={publishAt} onChange={setPublishAt} timeZone={format.timeZone} hint={t.stays} />
                  <DateField kind="datetime" label={t.until} value={unpublishAt} onChange={setUnpublishAt} timeZone={format.timeZone} hint={t.stays} />
                </>
              )}
            </>
          )}
        </>
      )}
      {(phase === 'running' || phase === 'ended') && (
        <>
          <div className={styles.progress}>
            <progress value={ready.length - rest.length} max={ready.length} aria-label={t.progress} />
            <p role="status">{t.counts[action](number(done), number(ready), some(failed.length), some(rest.length - failed.length))}</p>
          </div>
          {leftList}
          <List title={t.results} shown>
            {[...failed, ...ready.filter((i) => !failed.includes(i) && !left.includes(i))].map((i) => (
              <Item key={requests[i]!.id} request={requests[i]!} state={outcomes[i]!.state} label={t.states[outcomes[i]!.state]}>
                <Result outcome={outcomes[i]!} />
              </Item>
            ))}
          </List>
        </>
      )}
      <footer>
        {phase === 'running' ? <Button onPress={() => stop.current?.abort()}>{t.stop}</Button> : <Button onPress={close}>{phase === 'ended' || (phase === 'asking' && ready.length === 0) ? t.close : t.cancel}</Button>}
        {phase === 'asking' && unread.length > 0 && <Button onPress={() => void check(unread)}>{t.checkAgain}</Button>}
        {phase === 'asking' && ready.length > 0 && (
          <Button kind="primary" onPress={() => void decide(ready)} isDisabled={action === 'schedule' && Object.keys(times).length === 0}>
            {t.action[action](number(ready))}
          </Button>
        )}
        {phase === 'ended' && rest.length > 0 && (
          <Button kind="primary" onPress={() => void decide(rest)}>
            {t.retry(number(rest))}
          </Button>
        )}
      </footer>
    </Dialog>
  );
}

const resultOf = (outcome: Outcome<Checked>) => (outcome.state === 'done' ? outcome.result : undefined);
const leftOf = (outcome: Outcome<Checked>) => resultOf(outcome)?.left;

async function checked(action: BulkAction, seen: Request): Promise<Checked> {
  const { route, at } = approvalOf(subjectOf(seen));
  const now = await dataOf<Request>(api.GET(route, at));
  return { now, left: mustRead(action, seen, now) };
}

/** Approves the step and the content that were seen. A request that is at another step by now is left out, unless the user has moved it there. */
async function approve(seen: Request, comment: string, me: number): Promise<Checked> {
  try {
    const body = { comment: comment || undefined, stepOrder: seen.currentStep!.stepOrder, stepId: seen.currentStep!.stepId, contentHash: seen.contentHash };
    const { route, at } = approvalOf(subjectOf(seen));
    return { now: await dataOf<Request>(api.POST(`${route}/approve`, { ...at, body })) };
  } catch (error) {
    const { problem, code } = asApiError(error);
    if (code === 'verify_first' || code === 'signature_required') return { now: seen, left: 'proof' };
    const now = problem.request as Request | undefined;
    if (!now) throw error;
    return hasApproved(seen, now, me) ? { now } : { now, left: mustRead('approve', seen, now) ?? 'changed' };
  }
}

/** Sets the times, unless the request is another by now. */
async function schedule(seen: Request, times: Times): Promise<Checked> {
  const before = await checked('schedule', seen);
  if (before.now.id === seen.id && hasTimes(before.now, times)) return { now: before.now };
  if (before.left) return before;
  const { route, at } = approvalOf(subjectOf(seen));
  return { now: await dataOf<Request>(api.PUT(`${route}/schedule`, { ...at, body: times })) };
}

function List({ title, shown, children }: { title: string; shown: boolean; children: ReactNode }) {
  if (!shown) return null;
  return (
    <section>
      <h3 className={styles.heading}>{title}</h3>
      <ul className={styles.results} tabIndex={0} aria-label={title}>
        {children}
      </ul>
    </section>
  );
}

function Item({ request, state, label, children }: { request: Request; state: Outcome<unknown>['state'] | 'left'; label?: string; children?: ReactNode }) {
  const t = useTexts('inbox').row;
  const Icon = { waiting: undefined, running: LoaderCircle, done: CircleCheck, failed: CircleAlert, left: Eye }[state];
  return (
    <li data-state={state}>
      {Icon && <Icon aria-label={label} aria-hidden={label ? undefined : true} />}
      <div>
        {titleOf(request) ?? t.untitled(request.entryId ?? 0)} <Mono>{request.releaseNumber}</Mono>
        <small>{children}</small>
      </div>
    </li>
  );
}

function Left({ request, checked, onOpen }: { request: Request; checked: Checked | undefined; onOpen: () => void }) {
  const t = useTexts('inbox').bulk;
  const { reason } = checked?.now ?? {};
  return (
    <Item request={request} state="left">
      {checked?.left === 'unable' && reason ? <Said text={reason} /> : t.reasons[checked?.left ?? 'changed']}{' '}
      <Link {...reviewLink(request)} onClick={onOpen}>
        {t.read}
      </Link>
    </Item>
  );
}

/** What an approval of the request leads to. */
function Next({ request }: { request: Request }) {
  const t = useTexts('inbox').bulk;
  const stepName = useStepName();
  const next = request.currentStep ? afterApproval(request, request.currentStep) : undefined;
  if (next === 'lacking') return t.lacking;
  if (next) return t.goesTo(stepName(next));
  if (!request.scheduledPublishAt || Date.parse(request.scheduledPublishAt) <= Date.now()) return t.goesLive;
  return (
    <>
      {t.goesLiveAt} <Time value={request.scheduledPublishAt} as="planned" />
    </>
  );
}

function Result({ outcome }: { outcome: Outcome<Checked> }) {
  const t = useTexts('inbox').bulk;
  const stepName = useStepName();
  if (outcome.state !== 'done') return outcome.state === 'failed' ? <Failure outcome={outcome} /> : t.states[outcome.state];
  const { now } = outcome.result;
  if (now.status === 'published') return t.isLive;
  if (now.scheduledPublishAt) {
    return (
      <>
        {now.currentStep ? t.waitsFor(stepName(now.currentStep)) : t.approved} {t.goesLiveAt} <Time value={now.scheduledPublishAt} as="planned" />
      </>
    );
  }
  return now.currentStep ? t.waitsFor(stepName(now.currentStep)) : t.approved;
}

function Failure({ outcome }: { outcome: Outcome<Checked> }) {
  const t = useTexts('inbox').bulk;
  return outcome.state === 'failed' ? <ProblemLine error={outcome.error} /> : t.states.waiting;
}
