import type { ConsoleMessage } from '@playwright/test';
import { expect, facts, test } from './fixtures';

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
    expect(fetched.filter(texts).sort(), path).toEqual(early.filter(texts).sort());
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

test('the form of the sign-in leads to the page that was asked for', async ({ page }) => {
  await page.goto(`${facts.baseUrl}/dashboard/projects/${worldDesk.id}/media?q=badge`);
  await expect(page).toHaveURL(/\/dashboard\/sign-in\?next=/);
  await page.getByLabel(/^E-mail$/i).fill(facts.users.editor.email);
  await page.locator('input[type=password]').fill(facts.users.editor.password);
  await page.getByRole('button').click();
  await expect(page).toHaveURL(`${facts.baseUrl}/dashboard/projects/${worldDesk.id}/media?q=badge`);
});
