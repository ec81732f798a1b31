import type { ConsoleMessage } from '@playwright/test';
import { call, expect, facts, test } from './fixtures';

const { worldDesk } = facts.projects;

test('a page uses the preloads of its Link header, and fetches nothing twice', async ({ as }) => {
  const page = await as('projectAdmin');
  const { data } = await (await page.request.get('/api/approvals/pending?perPage=1')).json();
  const { projectId, collectionId, entryId } = data[0];
  const articles = `/dashboard/projects/${worldDesk.id}/collections/${facts.collections.articles}`;
  const unused: string[] = [];
  for (const path of ['/dashboard/', '/dashboard/inbox', `/dashboard/review/${projectId}/${collectionId}/${entryId}`, articles, `/dashboard/projects/${projectId}/collections/${collectionId}/entries/${entryId}`]) {
    const tab = await as('projectAdmin');
    tab.on('console', (message: ConsoleMessage) => {
      if (message.text().includes('was preloaded')) unused.push(`${path}: ${message.text()}`);
    });
    const response = await tab.goto(path);
    const named = [...(await response!.headerValue('link'))!.matchAll(/<([^>]+)>/g)].map((match) => match[1]!);
    await expect(tab.locator('h1').first()).toBeAttached();
    await tab.waitForLoadState('networkidle');
    const fetched = await tab.evaluate(() => performance.getEntriesByType('resource').map(({ name }) => name.replace(location.origin, '')));
    for (const url of named) expect(fetched.filter((one) => one === url), url).toHaveLength(1);
    // early.js has named the texts that the page uses, of one language.
    const texts = (url: string) => /\/assets\/(en|de)-/.test(url);
    const early = await tab.evaluate(() => [...document.querySelectorAll('link[rel=modulepreload]')].map((link) => link.getAttribute('href')!));
    expect(early.filter(texts), path).toHaveLength(2);
    // Parts that are loaded later, such as the comments of a review, bring texts of their own.
    expect(fetched.filter(texts), path).toEqual(expect.arrayContaining(early.filter(texts)));
    expect(new Set(fetched.filter(texts)).size, path).toBe(fetched.filter(texts).length);
  }
  await page.waitForTimeout(6_000); // Chromium warns about unused preloads after five seconds
  expect(unused).toEqual([]);
});

test('a page loads the texts of one language, also where the user has chosen another than the browser', async ({ as }) => {
  const page = await as('viewer', { locale: 'de-DE' });
  const languages = () => page.evaluate(() => [...new Set(performance.getEntriesByType('resource').map(({ name }) => /\/assets\/(en|de)-/.exec(name)?.[1]).filter(Boolean))]);
  await page.goto('/dashboard/inbox');
  await expect(page.getByRole('heading', { level: 1, name: /Sie|Eingang/ })).toBeVisible();
  expect(await languages()).toEqual(['de']);
  await page.addInitScript(() => localStorage.setItem('imprimatur.settings', '{"language":"en"}'));
  await page.route('**/api/me/settings', (route) => route.fulfill({ json: { language: 'en', timeZone: null, theme: 'system' } }));
  await page.reload();
  await expect(page.getByRole('heading', { level: 1, name: /you|Inbox/ })).toBeVisible();
  expect(await languages()).toEqual(['en']);
});

test('the form of the sign-in leads to the page that was asked for, without an error in the console', async ({ page }) => {
  const errors: string[] = [];
  page.on('console', (message: ConsoleMessage) => message.type() === 'error' && errors.push(message.text()));
  await page.goto(`${facts.baseUrl}/dashboard/projects/${worldDesk.id}/media?q=badge`);
  await expect(page).toHaveURL(/\/dashboard\/sign-in\?next=/);
  await page.getByLabel(/^E-mail$/i).fill(facts.users.editor.email);
  await page.locator('input[type=password]').fill(facts.users.editor.password);
  await page.locator('button[type=submit]').click();
  await expect(page).toHaveURL(`${facts.baseUrl}/dashboard/projects/${worldDesk.id}/media?q=badge`);
  await page.waitForLoadState('networkidle');
  await page.getByRole('button', { name: new RegExp(facts.users.editor.email) }).click();
  await page.getByRole('menuitem', { name: 'Sign out' }).click();
  await expect(page).toHaveURL(/\/dashboard\/sign-in/);
  await page.goto(`${facts.baseUrl}/dashboard/account`);
  await expect(page).toHaveURL(/\/dashboard\/sign-in\?next=%2Fdashboard%2Faccount/);
  expect(errors).toEqual([]);
});

test('a first password is changed before anything else, also without scripts', async ({ as, browser }) => {
  const email = `first-${Date.now()}@meridian.example`;
  await call(await as('tenantAdmin'), 'POST', '/api/users', { tenantId: facts.tenantId, email, name: 'First Timer', password: 'the very first one' });
  const context = await browser.newContext({ baseURL: facts.baseUrl, javaScriptEnabled: false, locale: 'de-DE' });
  const page = await context.newPage();
  await page.goto('/dashboard/account');
  await page.getByLabel('E-Mail').fill(email);
  await page.getByLabel('Passwort').fill('the very first one');
  await page.getByRole('button', { name: 'Anmelden' }).click();
  await expect(page.getByRole('heading', { name: 'Eigenes Passwort wählen' })).toBeVisible();
  await page.goto('/dashboard/inbox');
  await expect(page.getByRole('heading', { name: 'Eigenes Passwort wählen' })).toBeVisible();
  const change = async (next: string) => {
    await page.getByLabel('Aktuelles Passwort').fill('the very first one');
    await page.getByLabel('Neues Passwort').fill(next);
    await page.getByRole('button', { name: 'Passwort ändern' }).click();
  };
  await change('Basketball');
  await expect(page.getByRole('alert')).toHaveText('Das neue Passwort ist zu häufig. Bitte ein anderes wählen.');
  await change('one that only I know');
  await expect(page).toHaveURL(`${facts.baseUrl}/dashboard/inbox`);
  expect((await (await page.request.get('/api/session')).json()).mustChangePassword).toBe(false);
  await context.close();
});

test('a slow network shows the frame at once, in the theme last used, and the page replaces it', async ({ as }) => {
  const page = await as('viewer', { viewport: { width: 390, height: 844 } });
  // Before each document: a page that runs writes the user's settings there as soon as it has them.
  await page.addInitScript(() => localStorage.setItem('imprimatur.settings', '{"theme":"dark"}'));
  let arrive = () => {};
  const slow = new Promise<void>((resolve) => (arrive = resolve));
  await page.route('**/assets/index-*.js', async (route) => {
    await slow;
    await route.continue();
  });
  await page.goto('/dashboard/inbox', { waitUntil: 'commit' });
  const frame = page.getByText('Imprimatur', { exact: true });
  await expect(frame).toBeVisible();
  await expect(page.locator('html')).toHaveAttribute('data-theme', 'dark');
  arrive();
  await expect(page.getByRole('heading', { level: 1 })).toBeVisible();
  await expect(page.locator('.starting')).toHaveCount(0);
});

test('a link under the pointer does not lead away from signing out', async ({ as }) => {
  const page = await as('editor', { ownSession: true });
  await page.goto('/dashboard/inbox');
  const asked: string[] = [];
  await page.route('**/dashboard/sign-in*', async (route) => {
    if (asked.push(new URL(route.request().url()).search) === 1) await new Promise((resolve) => setTimeout(resolve, 1500)); // ms: a slow network
    await route.continue().catch(() => undefined); // it may have been replaced
  });
  await page.getByRole('button', { name: new RegExp(facts.users.editor.email) }).click();
  // The menu closes, and the pointer is on a link below it while the browser leaves the page.
  await page.getByRole('menuitem', { name: 'Sign out' }).click({ noWaitAfter: true });
  await page.waitForURL(/sign-in/);
  expect(asked).toEqual(['']);
});
