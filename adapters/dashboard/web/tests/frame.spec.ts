import type { Page } from '@playwright/test';
import { violations } from './axe';
import { call, expect, expectFault, facts, test } from './fixtures';
import { framed, type Site } from './framed';

let site: Site;
let other: Site;
let project: { id: number; uuid: string };
let collection: number;

const setup = async (admin: Page) => {
  project = await call(admin, 'POST', `/api/tenants/${facts.tenantId}/projects`, { name: `Framed ${Date.now()}` });
  other = await framed(project.uuid);
  site = await framed(project.uuid, other.url);
  await call(admin, 'PATCH', `/api/projects/${project.id}`, { previewOrigins: [site.url] });
  await call(admin, 'POST', `/api/projects/${project.id}/components`, { slug: 'line', name: 'Line', fields: [{ name: 'words', label: 'Words', type: 'text' }] });
  const fields = [
    { name: 'title', label: 'Title', type: 'text', required: true },
    { name: 'slug', label: 'Slug', type: 'slug', source: 'title' },
    { name: 'text', label: 'Text', type: 'longtext' },
    { name: 'kind', label: 'Kind', type: 'text' },
    { name: 'body', label: 'Body', type: 'blocks', components: ['line'] },
  ];
  collection = (await call(admin, 'POST', `/api/projects/${project.id}/collections`, { slug: 'pages', name: 'Pages', fields, previewUrl: `${site.url}/site/pages/{id}?locale={locale}` })).id;
};
const content = () => `/api/projects/${project.id}/collections/${collection}/content`;
const editorOf = (id: number) => `/dashboard/projects/${project.id}/collections/${collection}/entries/${id}`;
const create = async (page: Page, fields: Record<string, unknown>, published = false): Promise<number> => (await call(page, 'POST', content(), { fields, published })).id;
const use = (page: Page, previewUrl: string) => call(page, 'PATCH', `/api/projects/${project.id}/collections/${collection}`, { previewUrl });

/** The page of the site, inside of the page that frames it. */
const inside = (page: Page) => page.frameLocator('iframe[src^="/dashboard/frame/"]').frameLocator('iframe');
const atSite = /^request: http:\/\/localhost:/;

test.beforeAll(async ({ browser }) => {
  const context = await browser.newContext({ baseURL: facts.baseUrl });
  const page = await context.newPage();
  await call(page, 'POST', '/api/session', facts.users.superAdmin);
  await setup(page);
  await context.close();
});
test.afterAll(() => Promise.all([site?.close(), other?.close()]));

test('the site shows what is typed, and a click in it opens the field', { tag: '@firefox' }, async ({ as }) => {
  const page = await as('superAdmin');
  const id = await create(page, { title: 'Tides', text: 'High & low' }, true);
  await page.goto(editorOf(id));
  const button = page.getByRole('button', { name: 'Preview', exact: true });
  await button.click();
  await expect(inside(page).getByRole('heading')).toHaveText('Tides');
  await expect(page.getByText('Up to date')).toBeVisible();
  const title = page.getByRole('textbox', { name: 'Title' });
  await title.fill('Tides and currents');
  await expect(inside(page).getByRole('heading')).toHaveText('Tides and currents');
  await expect(inside(page).getByRole('heading')).toHaveCSS('outline-style', 'solid');
  await expect(inside(page).locator('p')).toHaveCSS('outline-style', 'none');
  expect((await call(page, 'GET', `${content()}/${id}`)).state).toBe('published');

  await inside(page).locator('p').click();
  await expect(page.getByRole('textbox', { name: 'Text', exact: true })).toBeFocused();
  await expect(inside(page).locator('p')).toHaveCSS('outline-style', 'solid');
  await expect(inside(page).getByRole('heading')).toHaveCSS('outline-style', 'none');
  expect(await violations(page)).toEqual([]);

  // Keys go on to the field that was opened.
  await page.keyboard.press('End');
  await page.keyboard.type(' water');
  await expect(inside(page).locator('p')).toHaveText('High & low water');

  const preview = page.getByRole('region', { name: 'Preview on the website' });
  // A site that cannot draw a change says so.
  await title.fill('Break');
  await expect(preview.getByText(/could not show the last change/)).toBeVisible();
  await title.fill('Mended');
  await expect(inside(page).getByRole('heading')).toHaveText('Mended');
  await expect(preview.getByText(/could not show/)).toHaveCount(0);

  // Another entry's drafts are shown on demand.
  await preview.getByText('Drafts', { exact: true }).click();
  await expect(page.getByText('Up to date')).toBeVisible();

  // The token never stands in an address, and the frame is a page of its own.
  expect(site.requests.join('\n')).not.toContain('imv_');
  const policy = (await page.request.get(`/dashboard/frame/${project.id}`)).headers()['content-security-policy'];
  expect(policy).toContain(`frame-src ${site.url};`);
  expect(policy).toContain("frame-ancestors 'self'");
  await expect(page.frameLocator('iframe[src^="/dashboard/frame/"]').locator('iframe')).toHaveAttribute('sandbox', 'allow-scripts allow-same-origin allow-forms');

  await preview.getByRole('button', { name: 'Close the preview' }).click();
  await expect(preview).toHaveCount(0);
  await expect(page.getByRole('complementary')).toBeVisible();
  expectFault(page, atSite);
});

test('a value that is refused is said at the frame', async ({ as }) => {
  const page = await as('superAdmin');
  const id = await create(page, { title: 'Numbers' });
  await page.goto(editorOf(id));
  await page.getByRole('button', { name: 'Preview', exact: true }).click();
  await expect(inside(page).getByRole('heading')).toHaveText('Numbers');
  const saving = (url: URL) => url.pathname === `${content()}/${id}`;
  await page.route(saving, (route) =>
    route.request().method() === 'PATCH'
      ? route.fulfill({ status: 422, contentType: 'application/problem+json', body: JSON.stringify({ status: 422, code: 'invalid', errors: [{ location: 'fields.text', message: 'is not valid text' }] }) })
      : route.continue(),
  );
  await page.getByRole('textbox', { name: 'Text', exact: true }).fill('refused');
  const preview = page.getByRole('region', { name: 'Preview on the website' });
  await expect(preview.getByText('Not in the preview, because it could not be saved: Text')).toBeVisible();
  await expect(page.getByRole('textbox', { name: 'Text', exact: true })).toHaveValue('refused');
  await page.unroute(saving);
  await page.getByRole('textbox', { name: 'Text', exact: true }).fill('accepted');
  await expect(inside(page).locator('p')).toHaveText('accepted');
  await expect(preview.getByText(/Not in the preview/)).toHaveCount(0);
  expectFault(page, atSite);
});

test('a site that never answers, forges messages or leads elsewhere costs nothing that is typed', { tag: '@firefox' }, async ({ as }) => {
  const page = await as('superAdmin');
  const id = await create(page, { title: 'Storm' });
  const preview = page.getByRole('region', { name: 'Preview on the website' });
  const title = page.getByRole('textbox', { name: 'Title' });
  for (const [kind, said] of [['mute', /does not answer/], ['away', /which is not among the websites/]] as const) {
    await use(page, `${site.url}/${kind}/pages/{id}`);
    await page.goto(editorOf(id));
    await page.getByRole('button', { name: 'Preview', exact: true }).click();
    await title.fill(`Storm ${kind}`);
    await expect(preview.getByText(said)).toBeVisible({ timeout: 20_000 });
    await expect(preview.getByText('Up to date')).toHaveCount(0);
    await expect.poll(async () => (await call(page, 'GET', `${content()}/${id}`)).fields.title).toBe(`Storm ${kind}`);
  }
  expect(other.requests).toEqual([]);
  expectFault(page, /frame-src|frame because it violates|Refused to frame|Framing/);
  await use(page, `${site.url}/site/pages/{id}/{kind}`);
  await page.goto(editorOf(id));
  await page.getByRole('button', { name: 'Preview', exact: true }).click();
  await expect(preview.getByText('The address of the preview needs a value of: Kind')).toBeVisible();
  await page.getByRole('textbox', { name: 'Kind' }).fill('wind');
  await expect(inside(page).getByRole('heading')).toHaveText('Storm away');
  await use(page, `${site.url}/site/pages/{id}?locale={locale}`);
  expectFault(page, atSite);
});

test('a site that forbids frames or is slow costs nothing that is typed, and another site cannot frame the dashboard', async ({ as }) => {
  const page = await as('superAdmin');
  const id = await create(page, { title: 'Fog' });
  const preview = page.getByRole('region', { name: 'Preview on the website' });
  const title = page.getByRole('textbox', { name: 'Title' });
  const saved = (value: string) => expect.poll(async () => (await call(page, 'GET', `${content()}/${id}`)).fields.title).toBe(value);

  // Nothing is answered until the site is released. The draft is saved, and drawn once the page comes.
  await use(page, `${site.url}/slow/pages/{id}`);
  await page.goto(editorOf(id));
  await page.getByRole('button', { name: 'Preview', exact: true }).click();
  await title.fill('Fog at sea');
  await saved('Fog at sea');
  await expect(preview.getByText('Up to date')).toHaveCount(0);
  await expect.poll(() => site.requests.some((request) => request.startsWith('/slow/'))).toBe(true);
  site.release();
  await expect(inside(page).getByRole('heading')).toHaveText('Fog at sea');
  await expect(preview.getByText('Up to date')).toBeVisible();

  await use(page, `${site.url}/denied/pages/{id}`);
  await page.goto(editorOf(id));
  await page.getByRole('button', { name: 'Preview', exact: true }).click();
  await title.fill('Fog on land');
  await saved('Fog on land');
  await expect(preview.getByText(/does not answer/)).toBeVisible({ timeout: 20_000 });
  await expect(preview.getByText('Up to date')).toHaveCount(0);

  // The frame page is for the dashboard alone.
  await page.goto(`${site.url}/forger`);
  const refused = page.waitForEvent('console', (message) => /frame-ancestors/.test(message.text()));
  await page.evaluate((src) => document.body.append(Object.assign(document.createElement('iframe'), { src, title: 'Dashboard' })), `${facts.baseUrl}/dashboard/frame/${project.id}`);
  await refused;
  await use(page, `${site.url}/site/pages/{id}?locale={locale}`);
  expectFault(page, atSite);
  expectFault(page, /X-Frame-Options|frame-ancestors|Refused to (display|frame)|Framing|frame because/i);
});

test('a reviewer sees the page as it is now and as it would be then', async ({ as }) => {
  const page = await as('superAdmin');
  const id = await create(page, { title: 'Before', text: 'Old' }, true);
  await call(page, 'PUT', `/api/projects/${project.id}/approval-workflow`, { steps: [{ stepOrder: 1, requiredRoleKind: 'admin' }], allowSelfApproval: true });
  await call(page, 'PATCH', `${content()}/${id}`, { fields: { title: 'After' } });
  await call(page, 'POST', `${content()}/${id}/publish`, {});
  await call(page, 'PATCH', `${content()}/${id}`, { fields: { title: 'Later' } });
  await page.goto(`/dashboard/review/${project.id}/${collection}/${id}`);
  await page.getByRole('link', { name: 'Website' }).click();
  await expect(inside(page).getByRole('heading')).toHaveText('After');
  await expect(page.getByRole('article').getByText('Before')).toBeVisible(); // the changes stay beside it
  await page.getByText('Now', { exact: true }).click();
  await expect(inside(page).getByRole('heading')).toHaveText('Before');
  await page.getByText('Then', { exact: true }).click();
  await expect(inside(page).getByRole('heading')).toHaveText('After');
  expect(await violations(page)).toEqual([]);
  await expect(page.getByRole('button', { name: 'Decide' })).toBeVisible();
  await page.getByRole('button', { name: 'Close the preview' }).click();
  await expect(page.getByRole('complementary')).toBeVisible();

  const phone = await as('superAdmin', { viewport: { width: 390, height: 844 } });
  await phone.goto(`/dashboard/review/${project.id}/${collection}/${id}`);
  await phone.getByRole('link', { name: 'Website' }).click();
  await expect(inside(phone).getByRole('heading')).toHaveText('After');
  expect(await phone.evaluate(() => document.documentElement.scrollWidth)).toBeLessThanOrEqual(390);
  await phone.getByRole('link', { name: 'Changes' }).click();
  await expect(phone.getByRole('article').getByText('Before')).toBeVisible();
  await call(page, 'DELETE', `/api/projects/${project.id}/approval-workflow`);
  expectFault(page, atSite);
  expectFault(phone, atSite);
});

test('a reviewer of a release sees the page of each member', async ({ as }) => {
  const page = await as('superAdmin');
  const name = `Both ${Date.now()}`;
  const changed = await create(page, { title: 'Ebb', text: 'Old' }, true);
  const fresh = await create(page, { title: 'Flood', text: 'New' });
  const ended = await create(page, { title: 'Wreck' }, true);
  await call(page, 'PUT', `/api/projects/${project.id}/approval-workflow`, { steps: [{ stepOrder: 1, requiredRoleKind: 'admin' }], allowSelfApproval: true });
  await call(page, 'PATCH', `${content()}/${changed}`, { fields: { title: 'Ebb tide' } });
  const releases = `/api/projects/${project.id}/releases`;
  const { id } = await call(page, 'POST', releases, { name });
  await call(page, 'POST', `${releases}/${id}/members`, { members: [{ entryId: changed }, { entryId: fresh }, { entryId: ended, action: 'unpublish' }] });
  const address = `/dashboard/projects/${project.id}/releases/${id}`;

  // Before it is sent: what the drafts would make of the page.
  await page.goto(`${address}?tab=changes&member=${changed}`);
  await page.getByRole('link', { name: 'Website' }).click();
  await expect(inside(page).getByRole('heading')).toHaveText('Ebb tide');
  await page.getByRole('button', { name: 'Close the preview' }).click();
  await expect(page.getByRole('article').getByText('Ebb tide').first()).toBeVisible();

  await call(page, 'POST', `${releases}/${id}/publish`, {});
  await call(page, 'PATCH', `${content()}/${changed}`, { fields: { title: 'Later' } });
  await page.goto(`${address}?member=${changed}`);
  await page.getByRole('link', { name: 'Website' }).click();
  await expect(inside(page).getByRole('heading')).toHaveText('Ebb tide');
  await page.getByText('Now', { exact: true }).click();
  await expect(inside(page).getByRole('heading')).toHaveText('Ebb');
  await page.getByText('Then', { exact: true }).click();
  await expect(inside(page).getByRole('heading')).toHaveText('Ebb tide');
  await expect(page.getByRole('button', { name: 'Decide' })).toBeVisible();
  expect(await violations(page)).toEqual([]);

  // The frame follows to the next member, and is absent where the page ends.
  const list = page.getByRole('list', { name: 'Entries of the release' });
  await list.getByRole('link', { name: /Flood/ }).click();
  await expect(inside(page).getByRole('heading')).toHaveText('Flood');
  await expect(page.getByText('Now', { exact: true })).toHaveCount(0);
  await list.getByRole('link', { name: /Wreck/ }).click();
  await expect(page.getByRole('link', { name: 'Website' })).toHaveCount(0);
  await expect(page.getByRole('region', { name: 'Preview on the website' })).toHaveCount(0);

  const phone = await as('superAdmin', { viewport: { width: 390, height: 844 } });
  await phone.goto(`${address}?member=${fresh}`);
  await phone.getByRole('link', { name: 'Website' }).click();
  await expect(inside(phone).getByRole('heading')).toHaveText('Flood');
  expect(await phone.evaluate(() => document.documentElement.scrollWidth)).toBeLessThanOrEqual(390);
  expect(await violations(phone)).toEqual([]);
  await phone.getByRole('link', { name: 'Changes' }).click();
  await expect(phone.getByRole('article').getByText('This has never been published')).toBeVisible();
  await call(page, 'DELETE', `/api/projects/${project.id}/approval-workflow`);
  expectFault(page, atSite);
  expectFault(phone, atSite);
});

test('on a phone the preview is a tab', async ({ as }) => {
  const page = await as('superAdmin', { viewport: { width: 390, height: 844 } });
  const id = await create(page, { title: 'Harbour', text: 'Ships' });
  await page.goto(editorOf(id));
  await page.getByRole('textbox', { name: 'Title' }).fill('Harbour at dusk');
  await page.getByText('Preview', { exact: true }).click();
  await expect(inside(page).getByRole('heading')).toHaveText('Harbour at dusk');
  await expect(page.getByRole('textbox', { name: 'Title' })).toBeHidden();
  expect(await page.evaluate(() => document.documentElement.scrollWidth)).toBeLessThanOrEqual(390);
  expect(await violations(page)).toEqual([]);
  await inside(page).locator('p').click();
  await expect(page.getByRole('textbox', { name: 'Text', exact: true })).toBeFocused();
  expectFault(page, atSite);
});

test('the settings connect a site', async ({ as }) => {
  const page = await as('superAdmin');
  await page.goto(`/dashboard/projects/${project.id}/settings`);
  const origins = page.getByLabel('Websites that show previews in the dashboard');
  await expect(origins).toHaveValue(site.url);
  await origins.fill('http://www.example.com');
  await page.getByRole('button', { name: 'Save', exact: true }).click();
  await expect(page.getByText(/Must be an https origin/)).toBeVisible();
  await origins.fill('https://www.example.com');
  await page.getByRole('button', { name: 'Save', exact: true }).click();
  await expect(page.getByText(/while the previewUrl of the collection pages begins with it/)).toBeVisible();
  await origins.fill(`${site.url}\nhttps://www.example.com`);
  await page.getByRole('button', { name: 'Save', exact: true }).click();
  await expect(page.getByText('The settings were saved.')).toBeVisible();

  await page.goto(`/dashboard/projects/${project.id}/collections/${collection}/definition`);
  const address = page.getByLabel('Preview on the website');
  await expect(address).toHaveValue(`${site.url}/site/pages/{id}?locale={locale}`);
  await address.fill('https://elsewhere.example/{id}');
  await page.getByRole('button', { name: 'Save', exact: true }).click();
  await expect(address).toHaveAccessibleDescription(/Must begin with one of the previewOrigins/);
  await address.fill('https://www.example.com/{locale}/{slug}');
  await page.getByRole('button', { name: 'Save', exact: true }).click();
  await expect.poll(async () => (await call(page, 'GET', `/api/projects/${project.id}/collections/${collection}`)).previewUrl).toBe('https://www.example.com/{locale}/{slug}');
  await use(page, `${site.url}/site/pages/{id}?locale={locale}`);
});
