import { useQueries, useQuery } from '@tanstack/react-query';
import { getRouteApi, Link } from '@tanstack/react-router';
import { useState } from 'react';
import { $api, api, dataOf, type Schemas } from '../api/client';
import { useCollections, useProject } from '../api/queries';
import { may } from '../api/rights';
import { useFormat } from '../i18n/format';
import { useTexts } from '../i18n/language';
import { NotFound } from '../shell/failed';
import { Page, PageHead } from '../shell/page';
import { Problem, Skeleton } from '../ui/basics';
import { Button } from '../ui/button';
import { Comparison } from './comparison';
import { titleOf } from './fields';
import { Moments } from './moments';
import { RestoreDialog } from './restore';
import { before, historyKey, timeline, type EntryPath, type Revision } from './timeline';
import { StatusChip } from './statuschip';

const route = getRouteApi('/app/projects/$projectId/collections/$collectionId/entries/$entryId/history');

/** The history of an entry: all revisions of its draft and all publications. */
export function HistoryPage() {
  const { projectId, collectionId, entryId } = route.useParams();
  const project = useProject(projectId);
  const collection = useCollections(projectId).find((c) => c.id === collectionId);
  if (!project || !collection) return <NotFound />;
  return <History project={project} collection={collection} entryId={entryId} />;
}

type HistoryProps = { project: Schemas['Project']; collection: Schemas['Collection']; entryId: number };

function History({ project, collection, entryId }: HistoryProps) {
  const t = useTexts('content').history;
  const format = useFormat();
  const search = route.useSearch();
  const navigate = route.useNavigate();
  const [restoring, setRestoring] = useState<Revision>();
  const path = { projectId: project.id, collectionId: collection.id, contentId: entryId };
  const entry = useQuery($api.queryOptions('get', '/api/projects/{projectId}/collections/{collectionId}/content/{contentId}', { params: { path } }));
  const { moments, more, error, pending } = useMoments(path, search.pages ?? 1);

  if (entry.error) return <Page title={t.history}><Problem error={entry.error} retry={() => void entry.refetch()} /></Page>;
  if (!entry.data || (pending && moments.length === 0)) return <Page title={t.history}><Skeleton /></Page>;

  const title = titleOf(collection, entry.data.fields) || t.untitled;
  const newest = moments.find((m) => 'revision' in m)?.name;
  const to = search.to ?? newest;
  const from = search.from === 'none' ? undefined : (search.from ?? (to && before(moments, to)));
  return (
    <Page
      title={t.history}
      above={[
        <Link key="list" activeOptions={{ exact: true }} to="/projects/$projectId/collections/$collectionId" params={{ projectId: project.id, collectionId: collection.id }}>
          {collection.name}
        </Link>,
        <Link key="entry" activeOptions={{ exact: true }} to="/projects/$projectId/collections/$collectionId/entries/$entryId" params={{ projectId: project.id, collectionId: collection.id, entryId }}>
          {title}
        </Link>,
      ]}
      status={<StatusChip entry={entry.data} />}
      panelLabel={t.timeline}
      panel={
        <>
          {error ? <Problem error={error} /> : null}
          <Moments
            path={path}
            collection={collection}
            moments={moments}
            newest={newest}
            from={from}
            to={to}
            onChoose={(change) => void navigate({ search: (old) => ({ ...old, from, to, ...change }), replace: true, resetScroll: false })}
            onRestore={may(project, 'content.write') ? setRestoring : undefined}
          />
          {more && (
            <Button isPending={pending} onPress={() => void navigate({ search: (old) => ({ ...old, pages: (old.pages ?? 1) + 1 }), replace: true, resetScroll: false })}>{t.older}</Button>
          )}
        </>
      }
    >
      <PageHead title={title} lead={entry.data.locale !== project.defaultLocale ? t.leadIn(format.locale(entry.data.locale)) : t.lead} />
      {to && <Comparison key={`${from} ${to}`} path={path} collection={collection} locale={entry.data.locale} from={from} to={to} newest={newest} all={search.all ?? false} />}
      {restoring && <RestoreDialog project={project} collection={collection} entry={entry.data} revision={restoring} onClose={() => setRestoring(undefined)} />}
    </Page>
  );
}

const perPage = 25;
const maxPages = 40;

/** Whether a page is followed by another. A page that is loading counts as such, so that the timeline ends before it. */
const hasMore = (last: { data?: { meta: { hasMore: boolean } }; isPending: boolean } | undefined) => last?.data?.meta.hasMore ?? last?.isPending ?? false;

/** The first pages of the timeline. */
function useMoments(path: EntryPath, pages: number) {
  const numbers = Array.from({ length: Math.min(pages, maxPages) }, (_, i) => i + 1);
  const one = '/api/projects/{projectId}/collections/{collectionId}/content/{contentId}';
  const revisions = useQueries({
    queries: numbers.map((page) => ({
      queryKey: [...historyKey(path), 'revisions', page],
      queryFn: ({ signal }: { signal: AbortSignal }) => dataOf(api.GET(`${one}/revisions`, { params: { path, query: { page, perPage } }, signal })),
    })),
  });
  const publications = useQueries({
    queries: numbers.map((page) => ({
      queryKey: [...historyKey(path), 'publications', page],
      queryFn: ({ signal }: { signal: AbortSignal }) => dataOf(api.GET(`${one}/publications`, { params: { path, query: { page, perPage } }, signal })),
    })),
  });
  const all = [...revisions, ...publications];
  const line = timeline(
    { items: revisions.flatMap((r) => r.data?.data ?? []), more: hasMore(revisions.at(-1)) },
    { items: publications.flatMap((p) => p.data?.data ?? []), more: hasMore(publications.at(-1)) },
  );
  return { moments: line.moments, more: line.more && pages < maxPages, error: all.find((r) => r.error)?.error, pending: all.some((r) => r.isPending) };
}
