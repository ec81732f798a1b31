import { useQuery } from '@tanstack/react-query';
import { getRouteApi, Link, useNavigate } from '@tanstack/react-router';
import { ListFilter } from 'lucide-react';
import { lazy, Suspense, useCallback, useMemo, useRef, type ReactNode } from 'react';
import type { Schemas } from '../api/client';
import { summaryQuery, useProjects, useSession } from '../api/queries';
import { sentence, useFormat } from '../i18n/format';
import { useTexts } from '../i18n/language';
import { OnBehalf } from '../review/steps';
import { Page, PageHead } from '../shell/page';
import { Empty, Problem, Skeleton, useNow } from '../ui/basics';
import { Button, ButtonLink, Kbd } from '../ui/button';
import { Menu, MenuItem } from '../ui/overlays';
import { useSelection, type Selection } from '../ui/selection';
import { useShortcuts } from '../ui/shortcuts';
import { Tabs } from '../ui/tabs';
import styles from './inbox.module.css';
import { Order } from './order';
import { NoPage, Pages } from './pages';
import { failedQuery, late, requestsQuery, type ListTab, type Tab } from './queries';
import { RequestRow } from './row';
import type { InboxSearch } from './search';
import { actionsOf, SelectionBar } from './selectionbar';

const FailedList = lazy(() => import('./failed').then((m) => ({ default: m.FailedList })));

const route = getRouteApi('/app/inbox');
const tabs: Tab[] = ['waiting', 'returned', 'submitted', 'scheduled', 'decided', 'failed', 'unreachable'];

/** The inbox: requests and failed publications of all Projects. */
export function InboxPage() {
  const t = useTexts('inbox').inbox;
  const search = route.useSearch();
  const tab = search.tab ?? 'waiting';
  const list = useRef<HTMLDivElement>(null);
  useMoves(list);
  return (
    <Page title={t.title}>
      <Head search={search} />
      <Lists search={search} />
      <div ref={list}>
        {tab === 'failed' ? (
          <Suspense fallback={<Skeleton />}>
            <FailedList search={search} />
          </Suspense>
        ) : (
          <RequestList tab={tab} search={search} />
        )}
      </div>
    </Page>
  );
}

function Head({ search }: { search: InboxSearch }) {
  const t = useTexts('inbox').inbox;
  const { spelled } = useTexts('common').numbers;
  const format = useFormat();
  const navigate = useNavigate();
  const now = useNow();
  const projects = useProjects();
  const summary = useQuery(summaryQuery).data;
  const waiting = useQuery(requestsQuery('waiting', { ...search, page: 1, comments: undefined, overdue: undefined })).data;
  const count = search.project === undefined ? summary?.pending : waiting?.meta.total;
  const oldest = search.project === undefined ? summary?.oldestSubmittedAt : search.sort && search.sort !== 'oldest' && waiting?.meta.hasMore ? undefined : waiting?.data.map((r) => r.submittedAt).sort()[0];
  const lateCount = waiting && !waiting.meta.hasMore ? waiting.data.filter((r) => late(r, now)).length : 0;
  const named = new Map([...(summary?.byProject ?? []).map((p) => [p.projectId, p.name] as const), ...projects.map((p) => [p.id, p.name] as const)]);
  const tab = search.tab ?? 'waiting';
  const waitingIn = new Map(summary?.byProject.map((p) => [p.projectId, p.pending]));
  return (
    <PageHead
      title={count === undefined ? t.title : t.waiting(count, sentence(spelled(count)))}
      lead={
        <span role="status">
          {summary && summary.returnedToMe > 0 && `${t.cameBack(summary.returnedToMe, sentence(spelled(summary.returnedToMe)))} `}
          {count ? oldest && [t.oldest(format.duration(oldest, now, 'long')), lateCount > 0 && t.late(lateCount, sentence(spelled(lateCount)))].filter(Boolean).join(' ') : count === 0 && !summary?.returnedToMe && t.nothing}
        </span>
      }
    >
      {named.size > 1 && (
        <Menu
          label={t.project}
          trigger={<Button icon={<ListFilter aria-hidden />}>{search.project === undefined ? t.allProjects : (named.get(search.project) ?? t.project)}</Button>}
          value={search.project ?? 0}
          onChange={(id) => void navigate({ to: '/inbox', search: { ...search, page: undefined, project: Number(id) || undefined } })}
        >
          <MenuItem id={0} textValue={t.allProjects}>
            <span>{t.allProjects}</span>
          </MenuItem>
          {[...named].map(([id, name]) => (
            <MenuItem key={id} id={id} textValue={name}>
              <span>
                {name}
                {waitingIn.get(id) ? <small>{t.waitHere(waitingIn.get(id)!)}</small> : null}
              </span>
            </MenuItem>
          ))}
        </Menu>
      )}
      {tab === 'waiting' && (search.delegated || waiting?.data.some((r) => r.canActFor)) && <OnBehalf search={search} />}
      {tab !== 'failed' && tab !== 'unreachable' && <Order tab={tab} search={search} />}
    </PageHead>
  );
}

function Lists({ search }: { search: InboxSearch }) {
  const t = useTexts('inbox').inbox;
  const format = useFormat();
  const summary = useQuery(summaryQuery).data;
  const failed = useQuery(failedQuery({ project: search.project })).data?.meta.total;
  const { project } = search;
  // The API counts submitted and scheduled requests only over all Projects.
  const counts: Partial<Record<Tab, number>> =
    project === undefined
      ? { waiting: summary?.pending, returned: summary?.returnedToMe, submitted: summary?.submittedByMe, scheduled: summary?.scheduled, failed }
      : { waiting: summary?.byProject.find((p) => p.projectId === project)?.pending, failed };
  const current = search.tab ?? 'waiting';
  // Overviews of projects link to the requests that no user can decide: elsewhere their tab would be empty nearly always.
  return (
    <Tabs label={t.lists}>
      {tabs.filter((tab) => tab !== 'unreachable' || tab === current).map((tab) => (
        <Link
          key={tab}
          to="/inbox"
          search={{ tab: tab === 'waiting' ? undefined : tab, project: search.project }}
          activeOptions={{ exact: true }}
          aria-current={current === tab ? 'page' : undefined}
        >
          {t.tabs[tab]}
          {counts[tab] ? <span>{format.number(counts[tab])}</span> : null}
        </Link>
      ))}
    </Tabs>
  );
}

function RequestList({ tab, search }: { tab: ListTab; search: InboxSearch }) {
  const t = useTexts('inbox').inbox;
  const query = useQuery(requestsQuery(tab, search));
  const selection = useSelection<Schemas['ApprovalRequest']>(`${tab} ${search.project} ${search.sort} ${search.comments} ${search.delegated} ${search.overdue}`);
  const selects = actionsOf(tab).length > 0;
  const toggle = useToggle(query.data?.data, selection, selects);
  const projects = useProjects();
  const summary = useQuery(summaryQuery).data;
  const session = useSession();
  const hasRole = session.superAdmin || session.roles.length > 0 || session.customRoles.length > 0;
  const projectName = (id: number) => projects.find((p) => p.id === id)?.name ?? summary?.byProject.find((p) => p.projectId === id)?.name;
  if (query.error && !query.data) return <Problem error={query.error} retry={() => void query.refetch()} />;
  if (!query.data) return <Skeleton />;
  const { data, meta } = query.data;
  if (data.length === 0 && meta.page > 1) return <NoPage search={search} />;
  if (data.length === 0) {
    const empty = t.empty[tab];
    const noRole = !hasRole && tab === 'waiting';
    return (
      <Empty title={noRole ? t.noRole.title : search.project !== undefined || search.comments || search.overdue ? t.emptyProject : empty.title}>
        <p>{noRole ? t.noRole.next : empty.next}</p>
        {(search.project !== undefined || search.comments || search.overdue) && (
          <ButtonLink to="/inbox" search={{ ...search, project: undefined, comments: undefined, overdue: undefined }}>
            {t.showAll}
          </ButtonLink>
        )}
      </Empty>
    );
  }
  return (
    <>
      {selects && <SelectionBar tab={tab} search={search} total={meta.total} selection={selection} />}
      <ul className={styles.list} aria-label={t.tabs[tab]}>
        {data.map((request) => (
          <RequestRow key={request.id} tab={tab} request={request} projectName={projectName(request.projectId)} search={search} selected={selects ? selection.has(request.id) : undefined} onToggle={toggle} />
        ))}
      </ul>
      <Pages search={search} total={meta.total} />
      <Keys selects={selects} />
    </>
  );
}

/** Returns what selects or unselects a request, or selects all from the last one to it; also by the keys x and Shift+x. */
function useToggle(shown: readonly Schemas['ApprovalRequest'][] | undefined, selection: Selection<Schemas['ApprovalRequest']>, selects: boolean) {
  const t = useTexts('inbox').inbox;
  const anchor = useRef<number>(undefined);
  const { has, set, clear, items } = selection;
  const some = items.size > 0;
  const toggle = useCallback(
    (request: Schemas['ApprovalRequest'], range: boolean) => {
      const [from, to] = [shown?.findIndex((r) => r.id === anchor.current) ?? -1, shown?.findIndex((r) => r.id === request.id) ?? -1];
      if (range && from >= 0) set(shown!.slice(Math.min(from, to), Math.max(from, to) + 1), true);
      else set([request], !has(request.id));
      anchor.current = request.id;
    },
    [shown, has, set],
  );
  useShortcuts(
    useMemo(() => {
      const focused = (range: boolean) => () => {
        const id = Number(document.activeElement?.getAttribute('data-row'));
        const request = shown?.find((r) => r.id === id);
        if (request) toggle(request, range);
      };
      return [
        ...(selects ? [{ key: 'x', label: t.select, run: focused(false) }, { key: 'X', label: t.selectRange, run: focused(true) }] : []),
        ...(some ? [{ key: 'Escape', label: t.clear, run: clear }] : []),
      ];
    }, [shown, selects, some, clear, toggle, t]),
  );
  return toggle;
}

function Keys({ selects }: { selects: boolean }): ReactNode {
  const t = useTexts('inbox').inbox;
  return (
    <p className={styles.keys} aria-hidden>
      <span>
        <Kbd>J</Kbd> <Kbd>K</Kbd> {t.move}
      </span>
      <span>
        <Kbd>↵</Kbd> {t.open}
      </span>
      {selects && (
        <span>
          <Kbd>X</Kbd> {t.selects}
        </span>
      )}
      <span>
        <Kbd>?</Kbd> {t.allKeys}
      </span>
    </p>
  );
}

/** Makes the keys j and k move the focus through the links of the list. */
function useMoves(list: React.RefObject<HTMLDivElement | null>) {
  const t = useTexts('inbox').inbox;
  useShortcuts(
    useMemo(() => {
      const move = (step: 1 | -1) => {
        const links = [...(list.current?.querySelectorAll<HTMLElement>('[data-row]') ?? [])];
        const at = links.indexOf(document.activeElement as HTMLElement);
        const next = links[at < 0 ? (step > 0 ? 0 : links.length - 1) : at + step];
        next?.focus();
        next?.scrollIntoView({ block: 'nearest' });
      };
      return [
        { key: 'j', label: t.down, run: () => move(1) },
        { key: 'k', label: t.up, run: () => move(-1) },
        // The browser handles Enter on a focused link. Without a focused link, Enter opens the first one.
        { key: 'Enter', label: t.openRequest, run: () => list.current?.querySelector<HTMLElement>('[data-row]')?.click() },
      ];
    }, [list, t]),
  );
}
