import { test as base, expect, type BrowserContext, type Page } from '@playwright/test';
import { readFileSync } from 'node:fs';
import { checkAlways } from './axe';

export type Role = 'superAdmin' | 'tenantAdmin' | 'departmentAdmin' | 'projectAdmin' | 'legal' | 'editor' | 'viewer' | 'outsider';

type Facts = {
  baseUrl: string;
  departments: { newsroom: number; marketing: number };
  tenantId: number;
  projects: Record<'worldDesk' | 'blog' | 'investorRelations' | 'archive', { id: number; uuid: string }>;
  collections: Record<'countries' | 'articles' | 'posts' | 'notices', number>;
  releases: Record<'inReview' | 'scheduled' | 'published' | 'reverted', number>; // of World Desk
  users: Record<Role, { email: string; password: string }>;
  tokens: { worldDesk: Record<'full' | 'readOnly' | 'drafts', string>; blog: Record<'full' | 'readOnly', string> };
};

/** The facts that the demo has written: URLs, ids, users and tokens. */
export const facts: Facts = JSON.parse(readFileSync(process.env.DEMO ?? 'demo.json', 'utf8'));

type PageOptions = { colorScheme?: 'light' | 'dark'; locale?: string; viewport?: { width: number; height: number }; javaScriptEnabled?: boolean };

type Fixtures = {
  /** Opens a page in a new browser context without a session. */
  visitor: (options?: PageOptions) => Promise<Page>;
  /** Opens a page in a new browser context with a session of a user. */
  as: (role: Role, options?: PageOptions & { ownSession?: boolean }) => Promise<Page>;
};

/** Faults that fail every test: errors, CSP violations, requests to other origins or paths. */
const watched = new WeakMap<Page, string[]>();

async function watch(page: Page) {
  const faults: string[] = [];
  watched.set(page, faults);
  page.on('pageerror', (error) => faults.push(`error: ${error.message}`));
  page.on('console', (message) => {
    if (message.type() === 'error' && !message.text().startsWith('Failed to load resource')) faults.push(`console: ${message.text()}`);
  });
  page.on('request', (request) => {
    const url = new URL(request.url());
    const own = url.origin === facts.baseUrl && ['/api/', '/files/', '/dashboard/', '/invite/', '/reset/', '/sso/'].some((path) => url.pathname.startsWith(path));
    if (!own && !['blob:', 'data:'].includes(url.protocol)) faults.push(`request: ${request.url()}`);
  });
  if (process.env.AXE) await checkAlways(page, facts.baseUrl);
  await page.addInitScript(() => {
    addEventListener('securitypolicyviolation', (event) => console.error(`policy: ${event.violatedDirective} ${event.blockedURI} ${event.sample}`));
  });
}

/**
 * Lets fill insert text as users do. By BiDi, Playwright would set the value of an input and send an event:
 * React does not see such a change, because the value was set on the element itself.
 */
async function insertAsUsers(page: Page) {
  await page.addInitScript(() => {
    const insert = (text: string) => void document.execCommand('insertText', false, text);
    Object.defineProperty(window, '__pw_bidiInsertText', { get: () => insert, set: () => undefined });
  });
}

/** Takes the faults of a page that a test causes on purpose. */
export function expectFault(page: Page, what: RegExp) {
  const faults = watched.get(page)!;
  const others = faults.filter((fault) => !what.test(fault));
  expect(others.length, `a fault like ${what}`).toBeLessThan(faults.length);
  faults.splice(0, faults.length, ...others);
}

type Cookies = Awaited<ReturnType<BrowserContext['cookies']>>;

/** Gives a page a session of a user. Pages share the session of a role: each sign-in hashes a password. */
async function signIn(page: Page, role: Role, sessions: Map<Role, Cookies>) {
  const context = page.context();
  await context.addCookies(sessions.get(role) ?? []);
  if (sessions.has(role) && (await (await page.request.get('/api/session')).json()) !== null) return;
  await call(page, 'POST', '/api/session', facts.users[role]); // also after a test that has ended the sessions of the user
  sessions.set(role, await context.cookies());
}

export const test = base.extend<Fixtures, { sessions: Map<Role, Cookies> }>({
  // oxlint-disable-next-line no-empty-pattern -- Playwright requires the pattern
  sessions: [async ({}, use) => use(new Map()), { scope: 'worker' }],
  visitor: async ({ browser }, use) => {
    const pages: Page[] = [];
    await use(async (options) => {
      const context = await browser.newContext({ baseURL: facts.baseUrl, ...options });
      const page = await context.newPage();
      pages.push(page);
      await watch(page);
      if (browser.browserType().name() === 'firefox') await insertAsUsers(page);
      return page;
    });
    for (const page of pages) {
      expect.soft(watched.get(page), 'faults of a page').toEqual([]);
      await page.context().close();
    }
  },
  as: async ({ visitor, sessions }, use) => {
    await use(async (role, { ownSession = false, ...options } = {}) => {
      const page = await visitor(options);
      await signIn(page, role, ownSession ? new Map() : sessions);
      return page;
    });
  },
});

export { expect };

/** Sends a request to the API as the user of a page. Fails on an error status. */
export async function call(page: Page, method: string, path: string, body?: unknown, headers: Record<string, string> = {}) {
  const response = await page.request.fetch(facts.baseUrl + path, {
    method,
    headers: { Origin: facts.baseUrl, ...(body === undefined ? {} : { 'Content-Type': 'application/json' }), ...headers },
    data: body === undefined ? undefined : JSON.stringify(body),
  });
  expect(response.ok(), `${method} ${path}: ${response.status()} ${await response.text()}`).toBeTruthy();
  return response.status() === 204 ? undefined : response.json();
}

/** Sends a GraphQL query as a reader and returns the data of the response. */
export async function graphql(page: Page, query: string, variables: Record<string, unknown> = {}) {
  const response = await page.request.post(`${facts.baseUrl}/public/v2/graphql`, {
    headers: { Authorization: `Bearer ${facts.tokens.worldDesk.readOnly}` },
    data: { query, variables },
  });
  const { data, errors } = await response.json();
  expect(errors).toBeUndefined();
  return data;
}

const worldDesk = facts.projects.worldDesk.id;

/** The paths of World Desk's articles. */
export const articles = {
  page: `/dashboard/projects/${worldDesk}/collections/${facts.collections.articles}`,
  api: `/api/projects/${worldDesk}/collections/${facts.collections.articles}/content`,
  review: (id: number) => `/dashboard/review/${worldDesk}/${facts.collections.articles}/${id}`,
  entry: (id: number) => `/dashboard/projects/${worldDesk}/collections/${facts.collections.articles}/entries/${id}`,
};

/** Creates and submits an article through the API, and returns its id. */
export async function submitted(page: Page, title: string): Promise<number> {
  const { id } = await call(page, 'POST', articles.api, { fields: { title, summary: 'A summary.' } });
  await call(page, 'POST', `${articles.api}/${id}/publish`, {});
  return id;
}
