import { useQueries, useQueryClient } from '@tanstack/react-query';
import { CircleAlert, CircleCheck, LoaderCircle } from 'lucide-react';
import { useMemo, useRef, useState } from 'react';
import { api, dataOf, ifMatch, type Schemas } from '../api/client';
import { asApiError } from '../api/error';
import { summaryQuery } from '../api/queries';
import { sendingQuery, usesQuery } from '../editor/queries';
import { Said } from '../faults/said';
import { useFormat } from '../i18n/format';
import { useTexts } from '../i18n/language';
import { UseList } from '../media/uses';
import { Mono, Note, ProblemLine } from '../ui/basics';
import { Button } from '../ui/button';
import { Dialog } from '../ui/overlays';
import { TextArea } from '../ui/textfields';
import { runAll, type Outcome } from './bulk';
import { titleOf, type Collection, type ManagedEntry } from './fields';
import { listsKey, replaceInLists } from './rows';
import styles from '../ui/bulk.module.css';

export type BulkAction = 'publish' | 'submit' | 'unpublish' | 'trash' | 'restore' | 'destroy';

type BulkProps = { action: BulkAction; entries: readonly ManagedEntry[]; project: Schemas['Project']; collection: Collection; /** began: whether the action was confirmed. */ onClose: (began: boolean) => void };

/** Confirms and runs an action on the selected entries, with progress and a result for each. */
export function BulkDialog({ action, entries, project, collection, onClose }: BulkProps) {
  const t = useTexts('content').bulkdialog;
  const format = useFormat();
  const queryClient = useQueryClient();
  const [outcomes, setOutcomes] = useState<Outcome<string | undefined>[]>(() => entries.map(() => ({ state: 'waiting' })));
  const [phase, setPhase] = useState<'asking' | 'running' | 'ended'>('asking');
  const [reason, setReason] = useState('');
  const stop = useRef<AbortController>(undefined);
  // The entries for If-Match. After a conflict, a retry uses the current one.
  const known = useMemo(() => new Map<number, Pick<ManagedEntry, 'version' | 'etag'>>(entries.map((entry) => [entry.id, entry])), [entries]);

  const indexes = (...states: Outcome<unknown>['state'][]) => outcomes.flatMap((o, i) => (states.includes(o.state) ? [i] : []));
  const run = async (which: number[]) => {
    setPhase('running');
    stop.current = new AbortController();
    const one = async (index: number) => {
      const entry = entries[index]!;
      try {
        const answer = await change(action, project.id, collection.id, entry.id, ifMatch(known.get(entry.id)!), reason.trim());
        if (answer && 'releaseNumber' in answer) return answer.releaseNumber;
        if (answer) replaceInLists(queryClient, collection, answer);
        return undefined;
      } catch (error) {
        const current = asApiError(error).problem.current as ManagedEntry | undefined;
        if (current) known.set(entry.id, current);
        throw error;
      }
    };
    await runAll(which, one, (i, outcome) => setOutcomes((old) => old.with(which[i]!, outcome)), stop.current.signal);
    setPhase('ended');
    void queryClient.invalidateQueries({ queryKey: listsKey(collection) });
    void queryClient.invalidateQueries({ queryKey: ['get', '/api/projects/{projectId}/collections/{collectionId}/content/{contentId}'] });
    if (action !== 'restore') void queryClient.invalidateQueries({ queryKey: summaryQuery.queryKey });
  };

  const done = indexes('done').length;
  const failed = indexes('failed');
  const waiting = indexes('waiting');
  const count = entries.length;
  const listed = [...failed, ...indexes('running'), ...indexes('done').toReversed()].slice(0, 200);
  return (
    <Dialog title={t.title[action](count, format.number(count))} isOpen onClose={() => onClose(phase !== 'asking')} dismissable={phase !== 'running'}>
      {phase === 'asking' ? (
        <>
          <p>{t.what[action]}</p>
          {action === 'submit' && <Barred project={project} entries={entries} />}
          {(action === 'unpublish' || action === 'trash') && <Required project={project} collection={collection} entries={entries} />}
          {(action === 'unpublish' || action === 'trash' || action === 'destroy') && <TextArea label={t.reason} hint={t.reasonHint} value={reason} onChange={setReason} maxLength={500} rows={2} />}
        </>
      ) : (
        <>
          <div className={styles.progress}>
            <progress value={done + failed.length} max={count} aria-label={t.progress} />
            <p role="status">{t.counts(format.number(done), format.number(count), failed.length === 0 ? '' : format.number(failed.length))}</p>
          </div>
          <ul className={styles.results} tabIndex={0} aria-label={t.results}>
            {listed.map((i) => (
              <Result key={entries[i]!.id} name={titleOf(collection, entries[i]!.fields) || `#${entries[i]!.id}`} outcome={outcomes[i]!} />
            ))}
          </ul>
        </>
      )}
      <footer>
        {phase === 'asking' && (
          <>
            <Button onPress={() => onClose(false)}>{t.cancel}</Button>
            <Button kind={action === 'trash' || action === 'destroy' ? 'danger' : 'primary'} onPress={() => void run(waiting)} autoFocus>
              {t.action[action]}
            </Button>
          </>
        )}
        {phase === 'running' && <Button onPress={() => stop.current?.abort()}>{t.stop}</Button>}
        {phase === 'ended' && (
          <>
            {failed.length > 0 && <Button onPress={() => void run(failed)}>{t.retry(format.number(failed.length))}</Button>}
            {waiting.length > 0 && <Button onPress={() => void run(waiting)}>{t.goOn(format.number(waiting.length))}</Button>}
            <Button kind="primary" onPress={() => onClose(true)} autoFocus>
              {t.close}
            </Button>
          </>
        )}
      </footer>
    </Dialog>
  );
}

const asked = 100; // of a selection, so that a question does not send thousands of requests

/** Says how many of the entries would wait for a step that nobody could decide, and why. */
function Barred({ project, entries }: Pick<BulkProps, 'project' | 'entries'>) {
  const t = useTexts('content').bulkdialog;
  const format = useFormat();
  const answers = useQueries({ queries: entries.slice(0, asked).map((entry) => sendingQuery(project.id, entry.id)) });
  const barred = answers.flatMap(({ data }) => {
    const steps = data?.workflow?.steps.filter((step) => step.unreachable) ?? [];
    return steps.length > 0 ? [steps] : [];
  });
  if (barred.length === 0) return null;
  return (
    <Note tone="wait">
      {t.barred(format.number(barred.length), barred.length, entries.length > asked)} <Said text={[...new Set(barred.flat().flatMap((step) => step.reasons ?? []))].join('; ')} />
    </Note>
  );
}

/** Lists the published entries that require one of the entries, and says how many others refer to one. */
function Required({ project, collection, entries }: Pick<BulkProps, 'project' | 'collection' | 'entries'>) {
  const t = useTexts('content').bulkdialog;
  const ids = new Set(entries.map(({ id }) => id));
  const shown = entries.filter(({ state }) => state === 'published').slice(0, asked);
  const answers = useQueries({ queries: shown.map(({ id }) => usesQuery({ projectId: project.id, collectionId: collection.id }, id)) });
  const uses = answers.flatMap(({ data }) => data?.data ?? []).filter((use) => use.published && !use.trashed && !ids.has(use.entryId));
  const byEntry = new Map<number, Schemas['ContentUse']>();
  for (const use of uses) if (use.required || !byEntry.has(use.entryId)) byEntry.set(use.entryId, use);
  const requiring = [...byEntry.values()].filter((use) => use.required);
  const others = byEntry.size - requiring.length;
  return (
    <>
      {requiring.length > 0 && (
        <>
          <p>
            <strong>{t.requiring(requiring.length)}</strong>
          </p>
          <UseList projectId={project.id} uses={requiring} />
        </>
      )}
      {others > 0 && <p>{t.referring(others)}</p>}
    </>
  );
}

function Result({ name, outcome }: { name: string; outcome: Outcome<string | undefined> }) {
  const t = useTexts('content').bulkdialog;
  return (
    <li data-state={outcome.state}>
      {outcome.state === 'done' ? <CircleCheck aria-label={t.done} /> : outcome.state === 'failed' ? <CircleAlert aria-label={t.failed} /> : <LoaderCircle aria-label={t.running} />}
      <div>
        {name}
        {outcome.state === 'done' && outcome.result && <Mono> {outcome.result}</Mono>}
        {outcome.state === 'failed' && <small>{asApiError(outcome.error).status === 412 ? t.changed : <ProblemLine error={outcome.error} />}</small>}
      </div>
    </li>
  );
}

/** Performs the action. Returns the changed entry, the approval request that it opened, or undefined. */
async function change(action: BulkAction, projectId: number, collectionId: number, contentId: number, version: string, reason: string): Promise<ManagedEntry | Schemas['ApprovalRequest'] | undefined> {
  const params = { path: { projectId, collectionId, contentId }, header: { 'If-Match': version } };
  const one = '/api/projects/{projectId}/collections/{collectionId}/content/{contentId}';
  switch (action) {
    case 'publish':
    case 'submit':
      return dataOf<ManagedEntry | Schemas['ApprovalRequest']>(api.POST(`${one}/publish`, { params }));
    case 'unpublish':
      return dataOf(api.POST(`${one}/unpublish`, { params, body: reason ? { reason } : {} }));
    case 'trash':
      await api.DELETE(one, { params: { ...params, query: reason ? { reason } : {} } });
      return undefined;
    case 'restore':
      await api.POST(`${one}/restore`, { params });
      return undefined;
    case 'destroy':
      await api.DELETE(`${one}/permanent`, { params: { ...params, query: reason ? { reason } : {} } });
      return undefined;
  }
}
