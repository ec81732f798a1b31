import type { Page } from '@playwright/test';
import { articles, call, expect, facts, submitted, test } from './fixtures';

const project = `/api/projects/${facts.projects.worldDesk.id}`;
const site = 'https://www.example.com';
const label = 'Page of an entry on the website';

const link = (page: Page) => page.getByRole('link', { name: 'View the page' });

test.afterAll(async ({ browser }) => {
  const context = await browser.newContext({ baseURL: facts.baseUrl });
  const page = await context.newPage();
  const { email, password } = facts.users.projectAdmin;
  await call(page, 'POST', '/api/session', { email, password });
  await call(page, 'PATCH', project, { previewUrl: null });
  await context.close();
});

test('the review and the editor link to the page of an entry on the website', async ({ as }) => {
  const admin = await as('projectAdmin');
  const editor = await as('editor');
  const id = await submitted(editor, 'Tides & currents');

  // Without a preview URL there is no link.
  await editor.goto(articles.review(id));
  await expect(editor.getByRole('link', { name: 'Open the entry' })).toBeVisible();
  await expect(link(editor)).toHaveCount(0);

  await admin.goto(`/dashboard/projects/${facts.projects.worldDesk.id}/settings`);
  const address = admin.getByLabel(label);
  await address.fill('javascript:alert(1)');
  await admin.getByRole('button', { name: 'Save' }).click();
  await expect(address).toBeFocused();
  await expect(address).toHaveAccessibleDescription(/Must begin with an http or https origin/);
  await address.fill(`${site}/{locale}/{slgu}`);
  await admin.getByRole('button', { name: 'Save' }).click();
  await expect(address).toHaveAccessibleDescription(/Unknown placeholder \{slgu\}/);
  await expect(admin.getByText('For example:')).toHaveCount(0);

  // The form shows the URL of an example entry at once.
  await address.fill(`${site}/{locale}/{collection}/{slug}?preview={id}`);
  await expect(admin.getByRole('link', { name: /^https:\/\/www\.example\.com\/\w+\/articles\/[\w-]+\?preview=\d+$/ })).toBeVisible();
  await address.fill(`${site}/{locale}/{collection}/{slug}?preview={id}&version={version}#{title}`);
  await admin.getByRole('button', { name: 'Save' }).click();
  await expect(admin.getByText('The settings were saved.')).toBeVisible();

  // The reviewer's link has the values of the submitted version, even if the draft has changed.
  const page = `${site}/en/articles/tides-and-currents?preview=${id}&version=draft#Tides%20%26%20currents`;
  const legal = await as('legal');
  await legal.goto(articles.review(id));
  await expect(link(legal)).toHaveAttribute('href', page);
  await expect(link(legal)).toHaveAttribute('rel', 'noopener noreferrer');
  await call(editor, 'PATCH', `${articles.api}/${id}`, { fields: { title: 'Tides and currents' } });
  await legal.reload();
  await expect(link(legal)).toHaveAttribute('href', page);
  await expect(legal.getByText('The page on the website shows the draft.')).toBeVisible();

  // The site has no access to the dashboard.
  await legal.context().route(`${site}/**`, (route) => route.fulfill({ contentType: 'text/html', body: '<title>Tides</title>' }));
  const [opened] = await Promise.all([legal.waitForEvent('popup').catch(() => legal.context().waitForEvent('page')), link(legal).click()]);
  await expect(opened).toHaveTitle('Tides');
  expect(opened.url()).toBe(page);
  expect(await opened.evaluate(() => [window.opener, document.referrer])).toEqual([null, '']);
});

test('the editor saves before it opens the page on the website', async ({ as }) => {
  const page = await as('projectAdmin');
  await call(page, 'PATCH', project, { previewUrl: `${site}/{slug}?version={version}` });
  const { id } = await call(page, 'POST', articles.api, { fields: { title: 'High water' } });
  await page.context().route(`${site}/**`, (route) => route.fulfill({ contentType: 'text/html', body: '<title>Draft</title>' }));
  await page.goto(articles.entry(id));
  await expect(link(page)).toHaveAttribute('href', `${site}/high-water?version=draft`);
  await page.getByRole('textbox', { name: 'Title' }).fill('Low water');
  const [opened] = await Promise.all([page.context().waitForEvent('page'), link(page).click()]);
  await expect(opened).toHaveTitle('Draft');
  const saved = await call(page, 'GET', `${articles.api}/${id}`);
  expect(saved.fields.title).toBe('Low water');
  expect(opened.url()).toBe(`${site}/${saved.fields.slug}?version=draft`);
  await expect(link(page)).toHaveAttribute('href', opened.url());
});

test('a published entry links to the page of its published version', async ({ as }) => {
  const page = await as('viewer');
  const admin = await as('projectAdmin');
  await call(admin, 'PATCH', project, { previewUrl: `${site}/{collection}/{id}/{version}` });
  const { data } = await call(page, 'GET', `${articles.api}?state=published&limit=1`);
  await page.goto(articles.entry(data[0].id));
  await expect(link(page)).toHaveAttribute('href', `${site}/articles/${data[0].id}/${data[0].hasUnpublishedChanges ? 'draft' : 'published'}`);
});
