import { keepPreviousData } from '@tanstack/react-query';
import { Link, useNavigate, useParams, useSearch } from '@tanstack/react-router';
import { $api } from '../api/client';
import { useProject } from '../api/queries';
import { useFormat } from '../i18n/format';
import { useTexts } from '../i18n/language';
import { NotFound } from '../shell/failed';
import { Page, PageHead } from '../shell/page';
import { Note, Problem, Skeleton, useNow } from '../ui/basics';
import { Segments } from '../ui/segments';
import { Collections } from './collections';
import { Next } from './next';
import styles from './overview.module.css';
import { Published } from './published';
import { spans } from './search';
import { longest } from './stuck';
import { Tokens } from './tokens';
import { Waiting } from './waiting';

/** The overview of a Project: waiting requests, then past and scheduled publications. */
export function OverviewPage() {
  const t = useTexts('overview').overview;
  const format = useFormat();
  const now = useNow();
  const { projectId } = useParams({ from: '/app/projects/$projectId' });
  const { days = 30 } = useSearch({ from: '/app/projects/$projectId' });
  const navigate = useNavigate({ from: '/projects/$projectId' });
  const project = useProject(projectId);
  const { data, error, refetch, isPlaceholderData } = $api.useQuery(
    'get',
    '/api/projects/{projectId}/overview',
    { params: { path: { projectId }, query: { days } } },
    // Do not show the previous Project's numbers under this Project's name.
    { placeholderData: (before, query) => ((query?.queryKey[2] as { params: { path: { projectId: number } } } | undefined)?.params.path.projectId === projectId ? keepPreviousData(before) : undefined), refetchInterval: 60_000 },
  );
  if (!project) return <NotFound />;

  const waiting = data?.waiting.reduce((sum, step) => sum + step.count, 0) ?? 0;
  const oldest = data && longest(data.waiting, now);
  const lead = !data ? '\u00a0' : !oldest ? t.nothing : t.waits(format.number(waiting), waiting, oldest.label || t.step(oldest.stepOrder), format.duration(oldest.oldestSince, now));
  return (
    <Page title={t.title} width="full" above={[<span key="project">{project.name}</span>]}>
      <div className={styles.page} data-loading={isPlaceholderData || undefined}>
        <PageHead title={project.name} lead={lead}>
          <Segments label={t.span} value={String(days)} onChange={(value) => void navigate({ search: { days: spans.find((each) => String(each) === value && each !== 30) }, replace: true, resetScroll: false })} options={spans.map((each) => ({ id: String(each), label: t.days(each) }))} />
        </PageHead>
        {error && <Problem error={error} retry={() => void refetch()} />}
        {!data ? (
          !error && <Skeleton />
        ) : (
          <>
            {data.failed > 0 && (
              <Note tone="bad">
                {t.failed(format.number(data.failed), data.failed)}{' '}
                <Link to="/inbox" search={{ tab: 'failed', project: projectId }}>
                  {t.why}
                </Link>
              </Note>
            )}
            {data.unreachable.count > 0 && (
              <Note tone="bad">
                {t.unreachable(format.number(data.unreachable.count), data.unreachable.count, data.unreachable.complete)}{' '}
                <Link to="/inbox" search={{ tab: 'unreachable', project: projectId }}>
                  {t.showThem}
                </Link>
              </Note>
            )}
            <Waiting projectId={projectId} steps={data.waiting} days={days} />
            <div className={styles.columns}>
              <div>
                <Next projectId={projectId} count={data.scheduled.count} />
                <Collections projectId={projectId} counts={data.entries} />
              </div>
              <div>
                <Published days={data.published} />
                {data.tokens && <Tokens projectId={projectId} tokens={data.tokens} />}
              </div>
            </div>
          </>
        )}
      </div>
    </Page>
  );
}
