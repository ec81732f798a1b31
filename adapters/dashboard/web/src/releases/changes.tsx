import { useQuery } from '@tanstack/react-query';
import { Link, useNavigate } from '@tanstack/react-router';
import { ChevronDown, ChevronUp, SquarePen } from 'lucide-react';
import { lazy, Suspense, useCallback, useEffect, useMemo, useRef } from 'react';
import { useCollections, useProject } from '../api/queries';
import { may } from '../api/rights';
import { useFormat } from '../i18n/format';
import { useTexts } from '../i18n/language';
import { useDecision, useQueue } from '../review/decision';
import { openReview } from '../review/open';
import { Foot } from '../review/panel';
import { commentsQuery, requestQuery } from '../review/queries';
import { Page } from '../shell/page';
import { withTexts } from '../texts/load';
import { Chip, Mono, Problem, Skeleton, Time } from '../ui/basics';
import { ButtonLink, IconButton } from '../ui/button';
import { focusNext } from '../ui/focus';
import { useShortcuts } from '../ui/shortcuts';
import { Tabs } from '../ui/tabs';
import { useRoomForPanel } from '../ui/width';
import { filtered, neighbours } from './filter';
import { ReleasesLink } from './link';
import { MemberChanges } from './memberchanges';
import { MembersBeside } from './membersbeside';
import { ReleasePanel } from './panel';
import { markSeen, membersQuery, type Release, type ReleasePlace } from './queries';
import styles from './releases.module.css';
import type { ReleaseSearch } from './search';
import { stateTones } from './state';

const Prove = lazy(() => withTexts(import('../review/prove'), 'account').then((m) => ({ default: m.Prove })));
const Comments = lazy(() => withTexts(import('../comments/comments'), 'comments').then((m) => ({ default: m.Comments })));
const SitePreview = lazy(() => withTexts(import('../preview/inrelease'), 'preview').then((m) => ({ default: m.MemberPreview })));
const Record = lazy(() => import('../review/record').then((m) => ({ default: m.Record })));

const none: readonly never[] = [];

/** What a release changes for readers: its members at the side of the changes of one of them, and the decision about all. */
export function ReleaseChanges({ place, release, search }: { place: ReleasePlace; release: Release; search: ReleaseSearch }) {
  const t = useTexts('releases');
  const review = useTexts('review').review;
  const { keys } = review;
  const format = useFormat();
  const navigate = useNavigate();
  const project = useProject(place.projectId);
  const request = useQuery({ ...requestQuery(place), enabled: release.request !== undefined && release.state !== 'open' }).data;
  const decision = useDecision(place, request, search);
  const queue = useQueue(place, search);
  const query = useQuery(membersQuery(place, release.version));
  const members = query.data ?? none;
  const list = useMemo(() => filtered(members, search), [members, search]);
  const shown = search.member ?? list[0]?.entryId;
  const { index, previous, next } = neighbours(list, shown);
  const member = members.find(({ entryId }) => entryId === shown);
  const article = useRef<HTMLElement>(null);

  const show = useCallback((entryId: number) => void navigate({ to: '/projects/$projectId/releases/$releaseId', params: place, search: (now) => ({ ...now, member: entryId, tab: now.tab === 'record' ? undefined : now.tab, all: undefined }) as ReleaseSearch, replace: true, resetScroll: false }), [navigate, place]);
  const isPast = release.state === 'published';
  const goOn = useCallback(() => {
    if (member && !isPast) void markSeen(place, release.version, [member]);
    if (next) show(next.entryId);
  }, [isPast, member, next, place, release.version, show]);

  // The comments of the page end with those of the member. Those on the next commented one go on.
  const { data: discussion } = useQuery({ ...commentsQuery(place), enabled: request !== undefined });
  const beyond = useCallback(
    (step: 1 | -1) => {
      const rest = step > 0 ? list.slice(index + 1) : list.slice(0, Math.max(index, 0)).reverse();
      for (const { entryId } of rest) {
        const ids = discussion?.data.filter((c) => c.entryId === entryId && c.state === 'open' && !c.parent).map((c) => String(c.id)) ?? [];
        if (ids.length === 0) continue;
        show(entryId);
        return focusNext(() => [...document.querySelectorAll<HTMLElement>('[data-comment]')].filter((card) => ids.includes(card.dataset.comment!)).at(step > 0 ? 0 : -1));
      }
    },
    [discussion, index, list, show],
  );

  // Each member is shown from its top.
  const before = useRef(shown);
  useEffect(() => {
    if (before.current === shown) return;
    before.current = shown;
    window.scrollTo(0, 0);
    article.current?.focus({ preventScroll: true });
  }, [shown]);

  const { ask } = decision;
  const canAct = request?.canAct ?? false;
  const step = request?.currentStep;
  const nextRequest = queue.next;
  useShortcuts(
    useMemo(
      () => [
        { key: 'j', label: t.review.next, run: goOn },
        { key: 'k', label: t.review.previous, run: () => previous && show(previous.entryId) },
        ...(nextRequest ? [{ key: 'N', label: keys.next, run: () => openReview(navigate, nextRequest, search) }] : []),
        ...(canAct ? [{ key: 'a', label: keys.approve, run: () => ask('approve') }] : []),
        ...(canAct && step?.allowRevision ? [{ key: 'r', label: keys.revise, run: () => ask('request-revision') }] : []),
        ...(canAct && step?.allowRejection ? [{ key: 'x', label: keys.reject, run: () => ask('reject') }] : []),
      ],
      [goOn, previous, show, nextRequest, navigate, search, canAct, step, ask, t, keys],
    ),
  );

  const wide = useRoomForPanel();
  const collection = useCollections(place.projectId).find(({ id }) => id === member?.collectionId);
  // Without a request, nothing but the content of the entry itself can be shown.
  const shows = release.state === 'open' || ((release.state === 'pending' || release.state === 'approved') && (release.request !== undefined || !member?.contentChanged));
  const previewed = member && shows && member.kind !== 'unpublish' && !member.gone && may(project, 'content.read') && collection?.previewUrl ? collection : undefined;
  const changesTab = release.state === 'open' ? 'changes' : undefined;
  const to = (tab: ReleaseSearch['tab']): ReleaseSearch => ({ ...search, member: shown, tab });
  const site = member && previewed && search.tab === 'site' && (
    <Suspense fallback={<Skeleton />}>
      <SitePreview key={member.entryId} place={place} release={release} member={member} collection={previewed} isDeciding={canAct} isTab={!wide} onClose={() => void navigate({ to: '.', search: to(changesTab), resetScroll: false })} />
    </Suspense>
  );
  const time = release.publishedAt ?? (release.state === 'closed' ? undefined : release.publishAt);
  return (
    <Page
      title={release.name}
      above={[<ReleasesLink key="releases" projectId={place.projectId} />]}
      status={
        <>
          {request && (
            <span className={styles.wide}>
              <Mono>{request.releaseNumber}</Mono>
            </span>
          )}
          <Chip tone={stateTones[release.state]}>{t.states[release.state]}</Chip>
          {time && (
            <span className={styles.wide}>
              <Time value={time} as="planned" />
            </span>
          )}
        </>
      }
      width="full"
      panelLabel={t.review.panel}
      panelWide={wide && !!site}
      panel={wide && site ? site : release.state === 'open' ? undefined : <ReleasePanel place={place} release={release} request={request} decision={decision} project={project} />}
      actions={
        <>
          {index >= 0 && <span className={styles.position}>{t.review.position(format.number(index + 1), format.number(list.length))}</span>}
          <IconButton label={t.review.previous} icon={<ChevronUp aria-hidden />} isDisabled={!previous} onPress={() => previous && show(previous.entryId)} />
          <IconButton label={t.review.next} icon={<ChevronDown aria-hidden />} isDisabled={!next && (isPast || member?.seen !== false)} onPress={goOn} />
          {release.state === 'open' && (
            <span className={styles.wide}>
              <ButtonLink to="/projects/$projectId/releases/$releaseId" params={place} icon={<SquarePen aria-hidden />}>
                {t.review.edit}
              </ButtonLink>
            </span>
          )}
        </>
      }
    >
      {decision.unproven && (
        <Suspense fallback={null}>
          <Prove subject={place} decision={decision} />
        </Suspense>
      )}
      <h1 className="visually-hidden">{release.name}</h1>
      <div className={styles.beside} data-narrow={(wide && !!site) || undefined}>
        <MembersBeside place={place} members={members} list={list} shown={shown} search={search} isLoading={query.isPending} past={isPast} decided={request !== undefined && members.some((one) => one.unchanged)} />
        <article className={styles.doc} ref={article} tabIndex={-1} aria-label={member ? member.title || t.untitled(member.entryId) : release.name}>
          {request && search.tab !== 'record' && !(site && !wide) && (
            <Suspense>
              <Comments subject={place} fields={none} />
            </Suspense>
          )}
          {search.tab === 'record' && request ? (
            <Suspense fallback={<Skeleton />}>
              <p>
                <Link to="/projects/$projectId/releases/$releaseId" params={place} search={{ ...search, tab: undefined }}>
                  {t.review.back}
                </Link>
              </p>
              <Record subject={place} request={request} readable={false} />
            </Suspense>
          ) : query.error && !query.data ? (
            <Problem error={query.error} retry={() => void query.refetch()} />
          ) : member ? (
            <>
              {previewed && (
                <Tabs label={review.views}>
                  {([changesTab, 'site'] as const).map((tab) => (
                    <Link key={tab ?? ''} to="." search={to(tab)} aria-current={(search.tab === 'site') === (tab === 'site') ? 'page' : undefined} resetScroll={false}>
                      {review.tabs[tab ?? 'changes']}
                    </Link>
                  ))}
                </Tabs>
              )}
              {site && !wide ? site : <MemberChanges discussed={request !== undefined} beyond={beyond} key={member.entryId} place={place} version={release.version} member={member} past={isPast} all={search.all === true} next={next?.entryId} />}
            </>
          ) : query.isPending ? (
            <Skeleton />
          ) : (
            <p>{t.review.none}</p>
          )}
        </article>
      </div>
      {request?.canAct && <Foot request={request} decision={decision} count={release.counts.members} always={!!site} />}
    </Page>
  );
}
