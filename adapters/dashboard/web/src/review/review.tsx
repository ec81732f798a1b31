import { useQuery } from '@tanstack/react-query';
import { getRouteApi, Link, useNavigate } from '@tanstack/react-router';
import { ChevronDown, ChevronUp, PenLine, SquarePen } from 'lucide-react';
import { lazy, Suspense, useEffect, useMemo, useRef } from 'react';
import { asApiError } from '../api/error';
import { useCollections, useProject, useSession } from '../api/queries';
import { may } from '../api/rights';
import { bySlug } from '../editor/items/structured';
import { titleField } from '../api/fields';
import { compareFields, type Change, type Version } from '../compare/fields';
import { pageUrl } from '../content/pageurl';
import { SeePage } from '../content/seepage';
import { changesQuery as versionChangesQuery, versionQuery } from '../content/version';
import { useFormat } from '../i18n/format';
import { useTexts } from '../i18n/language';
import { Page } from '../shell/page';
import { Chip, Empty, Note, Problem, Skeleton } from '../ui/basics';
import { ButtonLink, IconButton } from '../ui/button';
import { useShortcuts } from '../ui/shortcuts';
import { Tabs } from '../ui/tabs';
import { useRoomForPanel } from '../ui/width';
import { Changes, Preview } from './changes';
import { withTexts } from '../texts/load';
import { useDecision, useQueue } from './decision';
import { openReview } from './open';
import { Foot, Panel } from './panel';
import { earlierOf } from './earlier';
import { changesQuery, diffFromQuery, diffQuery, historyQuery, publicationsQuery, requestQuery, type Place, type Request } from './queries';
import styles from './review.module.css';
import type { ReviewSearch } from './search';
import { requestTones } from './status';

const Withheld = lazy(() => import('../compare/withheld').then((m) => ({ default: m.Withheld })));
const Prove = lazy(() => withTexts(import('./prove'), 'account').then((m) => ({ default: m.Prove })));
const Comments = lazy(() => withTexts(import('../comments/comments'), 'comments').then((m) => ({ default: m.Comments })));
const SitePreview = lazy(() => withTexts(import('../preview/inreview'), 'preview').then((m) => ({ default: m.ReviewPreview })));
const Record = lazy(() => import('./record').then((m) => ({ default: m.Record })));

const route = getRouteApi('/app/review/$projectId/$collectionId/$entryId');

/** The review page of an entry's open or latest request: its changes and the decision. */
export function ReviewPage() {
  const t = useTexts('review').review;
  const place = route.useParams();
  const search = route.useSearch();
  const query = useQuery(requestQuery(place));
  if (query.data) return <Review place={place} request={query.data} search={search} />;
  return (
    <Page title={t.review} above={[<Link to="/inbox">{t.inbox}</Link>]}>
      {!query.error ? <Skeleton /> : asApiError(query.error).status === 404 ? <NoRequest place={place} /> : <Problem error={query.error} retry={() => void query.refetch()} />}
    </Page>
  );
}

function NoRequest({ place }: { place: Place }) {
  const t = useTexts('review').review;
  const readable = may(useProject(place.projectId), 'content.read');
  return (
    <Empty title={t.none}>
      <p>{t.noneWhy}</p>
      {readable && (
        <ButtonLink to="/projects/$projectId/collections/$collectionId/entries/$entryId" params={place}>
          {t.entry}
        </ButtonLink>
      )}
    </Empty>
  );
}

function Review({ place, request, search }: { place: Place; request: Request; search: ReviewSearch }) {
  const t = useTexts('review').review;
  const format = useFormat();
  const status = useTexts('common').requestStatus;
  const navigate = useNavigate();
  const queue = useQueue(place, search);
  const decision = useDecision(place, request, search);
  const project = useProject(place.projectId);
  const article = useRef<HTMLElement>(null);
  const diff = useQuery(diffQuery(place));
  const snapshot = request.snapshot as (Version & { media?: Version['media']; collection: string }) | null;
  const submitted = useMemo<Version>(() => ({ fields: snapshot?.fields ?? {}, media: snapshot?.media ?? {} }), [snapshot]);
  const replaced = useReplaced(place, request);
  const published = replaced === undefined ? (diff.data?.published as Version | null | undefined) : replaced.version;
  const draft = diff.data?.draft as Version | null | undefined;
  const compareDraft = search.compare === 'draft' && draft;
  const session = useSession();
  const history = useQuery(historyQuery(place)).data?.data;
  const earlier = useMemo(() => earlierOf(history ?? [], request.id, session.id), [history, request.id, session.id]);
  const chosen = search.compare ?? (earlier.isMine ? 'reviewed' : 'public');
  const base = chosen === 'reviewed' ? earlier.reviewed : chosen === 'first' ? (earlier.first ?? earlier.reviewed) : undefined;
  const fromDiff = useQuery({ ...diffFromQuery(place, base?.id ?? 0), enabled: base !== undefined });
  const from = fromDiff.data?.from as Version | null | undefined;
  const isReplaced = replaced !== undefined && !compareDraft && !base;
  const said = useQuery({ ...changesQuery(place, compareDraft ? { to: 'draft' } : { from: base?.id }), enabled: !isReplaced });
  const listed = isReplaced ? replaced.changes : said.data;
  const components = useMemo(() => bySlug(diff.data?.components ?? []), [diff.data?.components]);
  const changes = useMemo(() => {
    if (diff.data === undefined || listed === undefined || (base && !from)) return undefined;
    return compareDraft ? compareFields(diff.data.fields, submitted, draft, components, listed ?? []) : compareFields(diff.data.fields, (base ? from : published) ?? null, submitted, components, listed ?? []);
  }, [diff.data, submitted, published, draft, compareDraft, base, from, components, listed]);
  const changed = changes?.filter((c) => c.changed).length;
  const title = diff.data && titleField(diff.data.fields)?.name;

  // Show each request from the top, with the focus on its content.
  const first = useRef(true);
  useEffect(() => {
    if (first.current) {
      first.current = false;
      return;
    }
    window.scrollTo(0, 0);
    article.current?.focus({ preventScroll: true });
  }, [request.id]);

  const { previous, next } = queue;
  const { ask } = decision;
  const { canAct, currentStep } = request;
  useShortcuts(
    useMemo(
      () => [
        { key: 'j', label: t.keys.next, run: () => next && openReview(navigate, next, search) },
        { key: 'k', label: t.keys.previous, run: () => previous && openReview(navigate, previous, search) },
        ...(canAct ? [{ key: 'a', label: t.keys.approve, run: () => ask('approve') }] : []),
        ...(canAct && currentStep?.allowRevision ? [{ key: 'r', label: t.keys.revise, run: () => ask('request-revision') }] : []),
        ...(canAct && currentStep?.allowRejection ? [{ key: 'x', label: t.keys.reject, run: () => ask('reject') }] : []),
      ],
      [canAct, currentStep, next, previous, navigate, search, ask, t],
    ),
  );

  const page = snapshot
    ? pageUrl(project?.previewUrl, { id: place.entryId, collection: snapshot.collection, locale: request.locale!, version: request.status === 'published' ? 'published' : 'draft', fields: submitted.fields })
    : undefined;
  const to = (tab: ReviewSearch['tab']) => ({ ...search, tab, compare: undefined, all: undefined });
  const wide = useRoomForPanel();
  const collection = useCollections(place.projectId).find((c) => c.id === place.collectionId);
  const open = request.status === 'pending' || request.status === 'approved';
  const previewed = snapshot && open && collection?.previewUrl && may(project, 'content.read') ? collection : undefined;
  const site = previewed && search.tab === 'site' && (
    <Suspense fallback={<Skeleton />}>
      <SitePreview key={request.id} place={place} collection={previewed} locale={request.locale!} sealed={submitted.fields} published={(published ?? undefined)?.fields} isDeciding={canAct} isTab={!wide} onClose={() => void navigate({ to: '.', search: to(undefined), resetScroll: false })} />
    </Suspense>
  );
  return (
    <Page
      title={request.releaseNumber}
      above={[
        <Link to="/inbox" search={{ project: search.project, sort: search.sort }}>
          {t.inbox}
        </Link>,
      ]}
      status={
        <span className={styles.status}>
          <Chip tone={requestTones[request.status]}>{status[request.status]}</Chip>
        </span>
      }
      width="full"
      panelLabel={t.panel}
      panelWide={wide && !!site}
      panel={wide && site ? site : <Panel place={place} request={request} decision={decision} search={search} project={project} page={page} comments={earlier.comments} isFirst={published === undefined ? undefined : published === null} />}
      actions={
        <>
          {queue.position > 0 && <span className={styles.position}>{t.position(format.number(queue.position), format.number(queue.total))}</span>}
          <IconButton label={t.keys.previous} icon={<ChevronUp aria-hidden />} isDisabled={!previous} onPress={() => previous && openReview(navigate, previous, search)} />
          <IconButton label={t.keys.next} icon={<ChevronDown aria-hidden />} isDisabled={!next} onPress={() => next && openReview(navigate, next, search)} />
          <SeePage url={page} />
          {may(project, 'content.read') && (
            <span className={styles.wide}>
              <ButtonLink to="/projects/$projectId/collections/$collectionId/entries/$entryId" params={place} icon={<SquarePen aria-hidden />}>
                {t.entry}
              </ButtonLink>
            </span>
          )}
        </>
      }
    >
      <article className={styles.doc} ref={article} tabIndex={-1} aria-label={request.title ?? request.releaseNumber}>
        {decision.unproven && (
          <Suspense fallback={null}>
            <Prove subject={place} decision={decision} />
          </Suspense>
        )}
        {search.request !== undefined && search.request !== request.id && <Note tone="wait">{t.newer(request.releaseNumber)}</Note>}
        <Tabs label={t.views}>
          {([undefined, 'preview', 'record', ...(previewed ? (['site'] as const) : [])] as const).map((tab) => (
            <Link key={tab ?? 'changes'} to="." search={to(tab)} activeOptions={{ exact: true }} aria-current={search.tab === tab ? 'page' : undefined} resetScroll={false}>
              {t.tabs[tab ?? 'changes']}
              {tab === undefined && changed !== undefined && !compareDraft && <span>{format.number(changed)}</span>}
            </Link>
          ))}
        </Tabs>
        {!(site && !wide) && search.tab !== 'record' && diff.data && (
          <Suspense>
            <Comments subject={place} fields={diff.data.fields} root={article} selects={!compareDraft} />
          </Suspense>
        )}
        {site && !wide ? (
          site
        ) : search.tab === 'record' ? (
          <Suspense fallback={<Skeleton />}>
            <Record subject={place} request={request} readable={may(project, 'content.read')} />
          </Suspense>
        ) : !diff.data || !changes ? (
          (diff.error ?? fromDiff.error ?? said.error) ? <Problem error={diff.error ?? fromDiff.error ?? said.error} retry={() => void Promise.all([diff.refetch(), base && fromDiff.refetch(), said.refetch()])} /> : <Skeleton />
        ) : search.tab === 'preview' ? (
          <Preview fields={diff.data.fields} components={components} titleName={title} versions={{ projectId: place.projectId, locale: request.locale!, after: submitted, library: diff.data.library }} />
        ) : (
          <>
            {compareDraft && (
              <Note tone="wait" icon={<PenLine aria-hidden />}>
                {t.draft}{' '}
                <Link to="." search={{ ...search, compare: undefined }}>
                  {t.back}
                </Link>
              </Note>
            )}
            {!compareDraft && (earlier.reviewed || earlier.first) && (
              <p className={styles.compared}>
                <span>{t.compareWith}</span>
                {([
                  ['public', t.comparisons.public],
                  ['reviewed', earlier.reviewed && (earlier.isMine ? t.comparisons.mine(earlier.reviewed.releaseNumber) : t.comparisons.reviewed(earlier.reviewed.releaseNumber))],
                  ['first', earlier.first && t.comparisons.first(earlier.first.releaseNumber)],
                ] as const).map(
                  ([name, label]) =>
                    label && (
                      <Link key={name} to="." search={{ ...search, compare: name }} aria-current={chosen === name ? 'true' : undefined} resetScroll={false}>
                        {label}
                      </Link>
                    ),
                )}
              </p>
            )}
            {(diff.data.withheld?.length ?? 0) > 0 && (
              <Suspense>
                <Withheld parts={diff.data.withheld} />
              </Suspense>
            )}
            <Changes
              past={request.status === 'published'}
              changes={changes}
              all={search.all === true}
              titleName={title}
              faults={compareDraft ? undefined : diff.data.faults}
              assistants={compareDraft ? undefined : diff.data.assistants}
              versions={{
                projectId: place.projectId,
                locale: request.locale!,
                library: diff.data.library,
                before: compareDraft ? submitted : ((base ? from : published) ?? undefined),
                after: compareDraft ? draft : submitted,
                names: compareDraft ? { before: t.names.submitted, after: t.names.draft } : { before: base ? base.releaseNumber : replaced?.version ? t.names.before : t.names.published, after: t.names.submitted },
              }}
            />
          </>
        )}
      </article>
      {canAct && <Foot request={request} decision={decision} always={!!site} />}
    </Page>
  );
}

/**
 * The version that was published before this request, and what the request changed in it. The version is null if
 * there was none. undefined if the request is not published or the user may not read the publications.
 */
function useReplaced(place: Place, request: Request): { version: Version | null; changes: Change[] } | undefined {
  const readable = may(useProject(place.projectId), 'content.read');
  const publications = useQuery({ ...publicationsQuery(place), enabled: readable && request.status === 'published' }).data?.data;
  const number = publications?.find((p) => p.requestId === request.id)?.number ?? 0;
  const path = { projectId: place.projectId, collectionId: place.collectionId, contentId: place.entryId };
  const version = useQuery({ ...versionQuery(path, `p${number - 1}`), enabled: number > 1 }).data;
  const changes = useQuery({ ...versionChangesQuery(path, `p${number - 1}`, `p${number}`), enabled: number > 1 }).data;
  return useMemo(() => (number === 1 ? { version: null, changes: [] } : version && changes && { version, changes }), [number, version, changes]);
}
