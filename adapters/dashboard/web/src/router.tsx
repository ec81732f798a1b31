import { createRootRoute, createRoute, createRouter, lazyRouteComponent, Outlet, redirect } from '@tanstack/react-router';
import { asApiError } from './api/error';
import { parseAuditSearch } from './audit/search';
import { collectionsQuery, projectsQuery, queryClient, sessionQuery, summaryQuery } from './api/queries';
import { parseEntriesSearch, parseHistorySearch } from './content/search';
import { approvalQuery, entryQuery, publicationsQuery, revisionsQuery, translationsQuery, workflowQuery } from './editor/queries';
import { RichTextControl } from './editor/richtext/apart';
import { parseEntrySearch, parseNewEntrySearch } from './editor/search';
import { failedQuery, queueQuery, requestsQuery } from './inbox/queries';
import { parseInboxSearch } from './inbox/search';
import { parseMediaSearch } from './media/search';
import { parseCalendarSearch, parseOverviewSearch } from './overview/search';
import { auditQuery, diffQuery, historyQuery, requestQuery } from './review/queries';
import { parseReleaseSearch, parseReleasesSearch } from './releases/search';
import { parseReviewSearch } from './review/search';
import { parseUsersSearch } from './settings/people/search';
import { parseWebhookSearch } from './settings/webhooks/search';
import { Failed, NotFound } from './shell/failed';
import { lastProject } from './shell/lastproject';
import { positive } from './shell/search';
import { Shell } from './shell/shell';
import { withTexts } from './texts/load';
import { Skeleton } from './ui/basics';

const have = queryClient.ensureQueryData.bind(queryClient);

/**
 * Fetches the initial data of a page while its code loads, so that the page is rendered once. The
 * page handles failed queries. preload is true for a link under the pointer: only code is fetched.
 */
async function first(preload: boolean, queries: () => Promise<unknown>[]) {
  if (!preload) await Promise.allSettled(queries());
}

const root = createRootRoute({ component: Outlet, notFoundComponent: NotFound });

const app = createRoute({
  getParentRoute: () => root,
  id: 'app',
  component: Shell,
  // All pages need a session. Without one, redirect to the sign-in page, which returns here. A link
  // under the pointer is only prepared: its page is not shown.
  beforeLoad: async ({ location: at, preload }) => {
    try {
      await Promise.all([have(sessionQuery), have(projectsQuery)]);
    } catch (error) {
      if (preload || asApiError(error).status !== 401) throw error;
      window.location.assign(`/dashboard/sign-in?next=${encodeURIComponent(`/dashboard${at.href}`)}`);
      await new Promise(() => undefined); // never render: the browser is leaving the page
    }
  },
  loader: async ({ params, preload }) => {
    const { data: projects } = await have(projectsQuery);
    const project = lastProject(projects, (params as { projectId?: number }).projectId);
    await first(preload, () => [have(summaryQuery), ...(project ? [have(collectionsQuery(project.id))] : [])]);
  },
});

const home = createRoute({
  getParentRoute: () => app,
  path: '/',
  beforeLoad: () => {
    throw redirect({ to: '/inbox' });
  },
});

const inbox = createRoute({
  getParentRoute: () => app,
  path: '/inbox',
  validateSearch: parseInboxSearch,
  loader: ({ location, preload }) =>
    first(preload, () => {
      const search = parseInboxSearch(location.search);
      const { tab = 'waiting' } = search;
      return [have(failedQuery({ project: search.project })), tab === 'failed' ? have(failedQuery(search)) : have(requestsQuery(tab, search))];
    }),
  component: lazyRouteComponent(() => withTexts(import('./inbox/inbox'), 'inbox'), 'InboxPage'),
});

/** Parses the ids of a path, which are positive integers. Any other path matches the route `nothing`. */
function ids<N extends string>(...names: N[]) {
  return {
    parse: (raw: Record<N, string>): Record<N, number> | false => {
      const found = names.map((name) => [name, positive(raw[name])]);
      return found.every(([, id]) => id !== undefined) && Object.fromEntries(found);
    },
    stringify: (ids: Record<N, number>) => Object.fromEntries(names.map((name) => [name, String(ids[name])])) as Record<N, string>,
  };
}

const review = createRoute({
  getParentRoute: () => app,
  path: '/review/$projectId/$collectionId/$entryId',
  params: ids('projectId', 'collectionId', 'entryId'),
  validateSearch: parseReviewSearch,
  loader: ({ params, location, preload }) => first(preload, () => [have(requestQuery(params)), have(diffQuery(params)), have(auditQuery(params)), have(historyQuery(params)), have(queueQuery(parseReviewSearch(location.search)))]),
  component: lazyRouteComponent(() => withTexts(import('./review/review'), 'review'), 'ReviewPage'),
});

const calendar = createRoute({
  getParentRoute: () => app,
  path: '/calendar',
  validateSearch: parseCalendarSearch,
  component: lazyRouteComponent(() => withTexts(import('./overview/calendar'), 'overview'), 'CalendarPage'),
});

const account = createRoute({
  getParentRoute: () => app,
  path: '/account',
  component: lazyRouteComponent(() => withTexts(import('./account/account'), 'account'), 'AccountPage'),
});

const notices = createRoute({
  getParentRoute: () => app,
  path: '/notices',
  component: lazyRouteComponent(() => withTexts(import('./notices/page'), 'notices'), 'NoticesPage'),
});

const overview = createRoute({
  getParentRoute: () => app,
  path: '/projects/$projectId',
  params: ids('projectId'),
  validateSearch: parseOverviewSearch,
  component: lazyRouteComponent(() => withTexts(import('./overview/overview'), 'overview'), 'OverviewPage'),
});

const definitions = createRoute({
  getParentRoute: () => app,
  path: '/projects/$projectId/collections',
  params: ids('projectId'),
  component: lazyRouteComponent(() => withTexts(import('./settings/model/definitions'), 'settings', 'model'), 'DefinitionsPage'),
});

const definition = createRoute({
  getParentRoute: () => app,
  path: '/projects/$projectId/collections/$collectionId/definition',
  params: ids('projectId', 'collectionId'),
  component: lazyRouteComponent(() => withTexts(import('./settings/model/definition'), 'settings', 'model'), 'DefinitionPage'),
});

const components = createRoute({
  getParentRoute: () => app,
  path: '/projects/$projectId/components',
  params: ids('projectId'),
  component: lazyRouteComponent(() => withTexts(import('./settings/model/definitions'), 'settings', 'model'), 'ComponentsPage'),
});

const component = createRoute({
  getParentRoute: () => app,
  path: '/projects/$projectId/components/$componentId',
  params: ids('projectId', 'componentId'),
  component: lazyRouteComponent(() => withTexts(import('./settings/model/definition'), 'settings', 'model'), 'ComponentPage'),
});

const schemaFile = createRoute({
  getParentRoute: () => app,
  path: '/projects/$projectId/schema',
  params: ids('projectId'),
  component: lazyRouteComponent(() => withTexts(import('./settings/model/schemafile'), 'settings', 'model'), 'SchemaFilePage'),
});

const entries = createRoute({
  getParentRoute: () => app,
  path: '/projects/$projectId/collections/$collectionId',
  params: ids('projectId', 'collectionId'),
  validateSearch: parseEntriesSearch,
  component: lazyRouteComponent(() => withTexts(import('./content/table'), 'content'), 'EntriesPage'),
});

// New and existing entries share a route, so that the page keeps the focus when a new entry is saved.
const editor = createRoute({
  getParentRoute: () => app,
  id: 'editor',
  component: lazyRouteComponent(() => withTexts(import('./editor/editor'), 'editor'), 'EditorPage'),
});

const newEntry = createRoute({
  getParentRoute: () => editor,
  path: '/projects/$projectId/collections/$collectionId/new',
  params: ids('projectId', 'collectionId'),
  validateSearch: parseNewEntrySearch,
});

/** Loads the rich text control if the collection has a rich text field. */
async function richText({ projectId, collectionId }: { projectId: number; collectionId: number }) {
  const { data: collections } = await have(collectionsQuery(projectId));
  if (collections.find((c) => c.id === collectionId)?.fields.some((f) => f.type === 'richtext')) await RichTextControl.load();
}

/** Fetches the entry and the data of the editor's panel. */
async function editing({ entryId, ...place }: { projectId: number; collectionId: number; entryId: number }) {
  const beside = Promise.allSettled([have(revisionsQuery(place, entryId)), have(translationsQuery(place, entryId)), have(workflowQuery(place.projectId))]);
  const { approval, state } = await have(entryQuery(place, entryId));
  await Promise.allSettled([
    beside,
    approval && have(approvalQuery(place, entryId)),
    state === 'published' && have(publicationsQuery(place, entryId)),
  ]);
}

const entry = createRoute({
  getParentRoute: () => editor,
  path: '/projects/$projectId/collections/$collectionId/entries/$entryId',
  params: ids('projectId', 'collectionId', 'entryId'),
  validateSearch: parseEntrySearch,
  loader: ({ params, preload }) => first(preload, () => [editing(params), richText(params)]),
});

const history = createRoute({
  getParentRoute: () => app,
  path: '/projects/$projectId/collections/$collectionId/entries/$entryId/history',
  params: ids('projectId', 'collectionId', 'entryId'),
  validateSearch: parseHistorySearch,
  component: lazyRouteComponent(() => withTexts(import('./content/history'), 'content'), 'HistoryPage'),
});

const media = createRoute({
  getParentRoute: () => app,
  path: '/projects/$projectId/media',
  params: ids('projectId'),
  validateSearch: parseMediaSearch,
  component: lazyRouteComponent(() => withTexts(import('./media/media'), 'media'), 'MediaPage'),
});

const releases = createRoute({
  getParentRoute: () => app,
  path: '/projects/$projectId/releases',
  params: ids('projectId'),
  validateSearch: parseReleasesSearch,
  component: lazyRouteComponent(() => withTexts(import('./releases/list'), 'releases'), 'ReleasesPage'),
});

const release = createRoute({
  getParentRoute: () => app,
  path: '/projects/$projectId/releases/$releaseId',
  params: ids('projectId', 'releaseId'),
  validateSearch: parseReleaseSearch,
  component: lazyRouteComponent(() => withTexts(import('./releases/release'), 'releases', 'review'), 'ReleasePage'),
});

const workflow = createRoute({
  getParentRoute: () => app,
  path: '/projects/$projectId/workflow',
  params: ids('projectId'),
  component: lazyRouteComponent(() => withTexts(import('./settings/workflow/workflow'), 'settings', 'workflow', 'conditions'), 'WorkflowPage'),
});

const members = createRoute({
  getParentRoute: () => app,
  path: '/projects/$projectId/members',
  params: ids('projectId'),
  component: lazyRouteComponent(() => withTexts(import('./settings/people/members'), 'settings', 'people', 'tokens'), 'MembersPage'),
});

const tokens = createRoute({
  getParentRoute: () => app,
  path: '/projects/$projectId/tokens',
  params: ids('projectId'),
  component: lazyRouteComponent(() => withTexts(import('./settings/tokens/tokens'), 'settings', 'tokens'), 'TokensPage'),
});

const webhooks = createRoute({
  getParentRoute: () => app,
  path: '/projects/$projectId/webhooks',
  params: ids('projectId'),
  component: lazyRouteComponent(() => withTexts(import('./settings/webhooks/webhooks'), 'settings', 'events', 'tokens', 'webhooks'), 'WebhooksPage'),
});

const webhook = createRoute({
  getParentRoute: () => app,
  path: '/projects/$projectId/webhooks/$webhookId',
  params: ids('projectId', 'webhookId'),
  validateSearch: parseWebhookSearch,
  component: lazyRouteComponent(() => withTexts(import('./settings/webhooks/webhook'), 'settings', 'events', 'tokens', 'webhooks'), 'WebhookPage'),
});

const projectAudit = createRoute({
  getParentRoute: () => app,
  path: '/projects/$projectId/audit',
  params: ids('projectId'),
  validateSearch: parseAuditSearch,
  component: lazyRouteComponent(() => withTexts(import('./audit/audit'), 'audit', 'events'), 'ProjectAuditPage'),
});

const assistantRuns = createRoute({
  getParentRoute: () => app,
  path: '/projects/$projectId/assistants',
  params: ids('projectId'),
  component: lazyRouteComponent(() => withTexts(import('./audit/assistants'), 'audit'), 'AssistantRunsPage'),
});

const tenantAudit = createRoute({
  getParentRoute: () => app,
  path: '/organisation/tenants/$tenantId/audit',
  params: ids('tenantId'),
  validateSearch: parseAuditSearch,
  component: lazyRouteComponent(() => withTexts(import('./audit/audit'), 'audit', 'events'), 'TenantAuditPage'),
});

const languages = createRoute({
  getParentRoute: () => app,
  path: '/projects/$projectId/languages',
  params: ids('projectId'),
  component: lazyRouteComponent(() => withTexts(import('./settings/languages/languages'), 'settings'), 'LanguagesPage'),
});

const settings = createRoute({
  getParentRoute: () => app,
  path: '/projects/$projectId/settings',
  params: ids('projectId'),
  component: lazyRouteComponent(() => withTexts(import('./settings/project/project'), 'settings'), 'ProjectSettingsPage'),
});

const organisation = createRoute({
  getParentRoute: () => app,
  path: '/organisation',
  component: lazyRouteComponent(() => withTexts(import('./settings/organisation/organisation'), 'settings'), 'OrganisationPage'),
});

const tenant = createRoute({
  getParentRoute: () => app,
  path: '/organisation/tenants/$tenantId',
  params: ids('tenantId'),
  validateSearch: ({ provider }: { provider?: unknown }): { provider?: number } => ({ provider: positive(provider) }),
  component: lazyRouteComponent(() => withTexts(import('./settings/organisation/tenant'), 'settings', 'people', 'tokens'), 'TenantPage'),
});

const department = createRoute({
  getParentRoute: () => app,
  path: '/organisation/departments/$departmentId',
  params: ids('departmentId'),
  component: lazyRouteComponent(() => withTexts(import('./settings/organisation/department'), 'settings', 'people', 'tokens', 'workflow', 'conditions'), 'DepartmentPage'),
});

const users = createRoute({
  getParentRoute: () => app,
  path: '/organisation/users',
  validateSearch: parseUsersSearch,
  component: lazyRouteComponent(() => withTexts(import('./settings/people/users'), 'settings', 'people', 'tokens'), 'UsersPage'),
});

// Any other path, so that the "not found" page has the navigation.
const nothing = createRoute({
  getParentRoute: () => app,
  path: '$',
  component: NotFound,
});

export const router = createRouter({
  routeTree: root.addChildren([app.addChildren([home, inbox, review, calendar, account, notices, overview, definitions, definition, components, component, schemaFile, entries, editor.addChildren([newEntry, entry]), history, media, releases, release, workflow, members, tokens, webhooks, webhook, projectAudit, assistantRuns, tenantAudit, languages, settings, organisation, tenant, department, users, nothing])]),
  basepath: '/dashboard',
  defaultPreload: 'intent',
  defaultPendingComponent: Skeleton,
  defaultErrorComponent: Failed,
  defaultNotFoundComponent: NotFound,
  scrollRestoration: true,
});

declare module '@tanstack/react-router' {
  interface Register {
    router: typeof router;
  }
}
