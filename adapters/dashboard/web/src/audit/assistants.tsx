import { useInfiniteQuery, useMutation, useQueryClient } from '@tanstack/react-query';
import { getRouteApi, Link } from '@tanstack/react-router';
import { Bot } from 'lucide-react';
import { useState } from 'react';
import { api, dataOf, type Schemas } from '../api/client';
import { asApiError } from '../api/error';
import { may } from '../api/rights';
import { useFormat } from '../i18n/format';
import { useTexts } from '../i18n/language';
import { ProjectPage, Row, Rows } from '../settings/parts';
import { Empty, Note, Problem, Time } from '../ui/basics';
import { Button } from '../ui/button';
import { Confirm } from '../ui/overlays';
import { Paged } from '../ui/paged';
import { useNames, type Names } from './names';
import styles from './audit.module.css';

const route = getRouteApi('/app/projects/$projectId/assistants');

type Run = Schemas['AssistantRun'];

/** How many drafts of a run the page names. */
const named = 10;

/** What assistants did in a Project, run by run. A run can be undone. */
export function AssistantRunsPage() {
  const t = useTexts('audit').runs;
  const { projectId } = route.useParams();
  return (
    <ProjectPage projectId={projectId} title={t.title} lead={t.lead}>
      {(project) => <Runs projectId={projectId} undoes={may(project, 'content.write')} />}
    </ProjectPage>
  );
}

function Runs({ projectId, undoes }: { projectId: number; undoes: boolean }) {
  const t = useTexts('audit').runs;
  const query = useInfiniteQuery({
    queryKey: ['assistant-runs', projectId],
    queryFn: ({ pageParam, signal }) => dataOf(api.GET('/api/projects/{projectId}/assistant-runs', { params: { path: { projectId }, query: { page: pageParam } }, signal })),
    initialPageParam: 1,
    getNextPageParam: ({ meta }) => (meta.hasMore ? meta.page + 1 : undefined),
  });
  const runs = query.data?.pages.flatMap((page) => page.data) ?? [];
  const names = useNames(
    { kind: 'project', id: projectId },
    runs.flatMap((run) => run.drafts.slice(0, named).map(({ entryId, collection }) => ({ id: 0, type: 'entry.updated' as const, at: run.to, actor: run.by, entryId, collection }))),
  );
  return (
    <Paged query={query} items={runs} none={<Empty title={t.none} children={<p>{t.noneHint}</p>} />} more={t.more}>
      {(runs) => (
        <Rows label={t.title}>
          {runs.map((run) => (
            <RunRow key={run.id} run={run} projectId={projectId} names={names} undoes={undoes} />
          ))}
        </Rows>
      )}
    </Paged>
  );
}

function RunRow({ run, projectId, names, undoes }: { run: Run; projectId: number; names: Names; undoes: boolean }) {
  const t = useTexts('audit').runs;
  const format = useFormat();
  const client = useQueryClient();
  const [asks, setAsks] = useState(false);
  const undo = useMutation({
    mutationFn: () => dataOf(api.POST('/api/projects/{projectId}/assistant-runs/{runId}/undo', { params: { path: { projectId, runId: run.id } } })),
    onSettled: () => {
      setAsks(false);
      return client.invalidateQueries();
    },
  });
  const did = [
    run.created > 0 && t.created(format.number(run.created), run.created),
    run.changed > 0 && t.changed(format.number(run.changed), run.changed),
    run.releases > 0 && t.releases(format.number(run.releases), run.releases),
    run.requests > 0 && t.requests(format.number(run.requests), run.requests),
    run.comments > 0 && t.comments(format.number(run.comments), run.comments),
  ].filter((one) => one !== false);
  const more = run.created + run.changed - Math.min(run.drafts.length, named);
  const { data: done } = undo;
  return (
    <Row
      icon={<Bot aria-hidden />}
      title={run.by.name}
      meta={
        <>
          <Time value={run.from} as="dateTime" />
          <span>{did.length > 0 ? format.list(did) : t.nothing}</span>
          {run.drafts.length > 0 && (
            <ul className={styles.drafts}>
              {run.drafts.slice(0, named).map((draft) => (
                <li key={draft.entryId}>
                  <Draft projectId={projectId} draft={draft} names={names} />
                </li>
              ))}
              {more > 0 && <li>{t.andMore(format.number(more))}</li>}
            </ul>
          )}
          {undo.error && <Problem error={asApiError(undo.error)} retry={() => undo.mutate()} />}
          {done && (
            <Note role="status" tone={done.kept.length > 0 ? 'wait' : 'good'}>
              {t.undone(format.number(done.restored), format.number(done.trashed))}
              {done.kept.length > 0 && (
                <ul className={styles.drafts}>
                  {done.kept.slice(0, named).map((kept) => (
                    <li key={kept.entryId}>
                      <Draft projectId={projectId} draft={kept} names={names} />: {t.kept[kept.reason]}
                    </li>
                  ))}
                  {done.kept.length > named && <li>{t.andMore(format.number(done.kept.length - named))}</li>}
                </ul>
              )}
            </Note>
          )}
        </>
      }
      actions={
        undoes &&
        run.drafts.length > 0 && (
          <>
            <Button onPress={() => setAsks(true)} aria-label={t.undoOne(run.by.name, format.dateTime(run.from))}>
              {t.undoShort}
            </Button>
            <Confirm title={t.undo} isOpen={asks} onClose={() => setAsks(false)} onConfirm={() => undo.mutate()} action={t.undo} isPending={undo.isPending}>
              <p>{t.undoHint}</p>
            </Confirm>
          </>
        )
      }
    />
  );
}

/** The title of a draft, with a link to it. */
function Draft({ projectId, draft: { entryId, collection, locale }, names }: { projectId: number; draft: { entryId: number; collection: string; locale: string }; names: Names }) {
  const t = useTexts('audit').sentence;
  const format = useFormat();
  const found = names.collection(collection);
  const text = t.entry(names.entry(entryId) ?? '', found?.name ?? collection, format.locale(locale));
  if (!found) return text;
  return (
    <Link to="/projects/$projectId/collections/$collectionId/entries/$entryId" params={{ projectId, collectionId: found.id, entryId }}>
      {text}
    </Link>
  );
}
