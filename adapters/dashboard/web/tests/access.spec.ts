import type { Page } from '@playwright/test';
import { randomUUID } from 'node:crypto';
import { violations } from './axe';
import { articles as at, call, expect, facts, submitted, test } from './fixtures';
import { codeOf, linksTo, person, signInAs } from './identity';

const worldDesk = facts.projects.worldDesk.id;
const articles = facts.collections.articles;

/** All pages that a super admin can open. */
const routes = [
  '/inbox',
  '/calendar',
  '/account',
  '/notices',
  `/projects/${worldDesk}`,
  `/projects/${worldDesk}/collections`,
  `/projects/${worldDesk}/collections/${articles}`,
  `/projects/${worldDesk}/collections/${articles}/definition`,
  `/projects/${worldDesk}/collections/${articles}/new`,
  `/projects/${worldDesk}/media`,
  `/projects/${worldDesk}/workflow`,
  `/projects/${worldDesk}/members`,
  `/projects/${worldDesk}/tokens`,
  `/projects/${worldDesk}/webhooks`,
  `/projects/${worldDesk}/audit`,
  `/projects/${worldDesk}/languages`,
  `/projects/${worldDesk}/settings`,
  '/organisation',
  `/organisation/tenants/${facts.tenantId}`,
  `/organisation/tenants/${facts.tenantId}/audit`,
  `/organisation/departments/${facts.departments.newsroom}`,
  '/organisation/users',
];

test('every page is accessible, light, 320 px, and dark, 1360 px, and logs no error', async ({ as }) => {
  test.setTimeout(480_000);
  const page = await as('superAdmin');
  const errors = errorsOf(page);
  const entries = await (await page.request.get(`/api/projects/${worldDesk}/collections/${articles}/content?limit=100`)).json();
  const reviewed = entries.data.find((e: { approval: { status: string } | null }) => e.approval?.status === 'pending').id;
  const one = `/projects/${worldDesk}/collections/${articles}/entries/${reviewed}`;
  for (const route of [...routes, ...(await furtherPages(page)), one, `${one}/history`, `/review/${worldDesk}/${articles}/${reviewed}`]) {
    await page.setViewportSize({ width: 320, height: 900 });
    await page.emulateMedia({ colorScheme: 'light' });
    await page.goto(`/dashboard${route}`);
    await page.waitForLoadState('networkidle');
    await expect(page.locator('main')).not.toContainText('Page not found');
    await checkAppearance(page, `${route}, light, 320 px`);
    await page.setViewportSize({ width: 1360, height: 900 });
    await page.emulateMedia({ colorScheme: 'dark' });
    await page.waitForLoadState('networkidle');
    await still(page);
    await checkAppearance(page, `${route}, dark, 1360 px`);
    expect.soft(errors.splice(0), route).toEqual([]);
  }
});

/** The messages of a page that browsers show as errors, also those about responses of the API. */
function errorsOf(page: Page): string[] {
  const errors: string[] = [];
  page.on('console', (message) => {
    if (message.type() === 'error') errors.push(`${message.text()} ${message.location().url}`);
  });
  return errors;
}

for (const role of ['editor', 'viewer'] as const) {
  test(`no page logs an error, for the role ${role}`, async ({ as }) => {
    test.setTimeout(480_000);
    const page = await as(role);
    const [article] = (await call(page, 'GET', `${at.api}?limit=1`)).data;
    const errors = errorsOf(page);
    await page.goto(at.page);
    await page.waitForLoadState('networkidle');
    const linked = await page.getByRole('navigation').getByRole('link').evaluateAll((links) => links.map((a) => a.getAttribute('href')!.replace('/dashboard', '')));
    const pages = new Set([...linked, ...[at.entry(article.id), `${at.entry(article.id)}/history`].map((path) => path.replace('/dashboard', ''))]);
    for (const path of pages) {
      await page.goto(`/dashboard${path}`);
      await page.waitForLoadState('networkidle');
      expect.soft(errors.splice(0), path).toEqual([]);
    }
  });
}

/** Pages of a Project and a department without a workflow, of a component and of a webhook. */
async function furtherPages(admin: Page) {
  const { blog } = facts.projects;
  const { posts } = facts.collections;
  const [post] = (await call(admin, 'GET', `/api/projects/${blog.id}/collections/${posts}/content?limit=1`)).data;
  const component = await call(admin, 'POST', `/api/projects/${worldDesk}/components`, { slug: `walk-${Date.now()}`, name: 'Walk', fields: [{ name: 'title', type: 'text' }] });
  const webhook = await call(admin, 'POST', `/api/projects/${worldDesk}/webhooks`, { name: 'Walk', url: 'https://example.com/hook', events: ['entry.published'] });
  const department = await call(admin, 'POST', `/api/tenants/${facts.tenantId}/departments`, { name: `Walk ${Date.now()}` });
  return [
    `/projects/${worldDesk}/components`,
    `/projects/${worldDesk}/components/${component.id}`,
    `/projects/${worldDesk}/webhooks/${webhook.id}`,
    `/projects/${blog.id}`,
    `/projects/${blog.id}/workflow`,
    `/projects/${blog.id}/collections/${posts}/entries/${post.id}`,
    `/organisation/departments/${department.id}`,
  ];
}

/** Waits for animations: colours change gradually. */
const still = (page: Page) => page.waitForFunction(() => document.getAnimations().every((one) => one.playState !== 'running'));

/** Expects that a page in its current appearance has no axe violations and does not scroll sideways. */
async function checkAppearance(page: Page, name: string) {
  expect.soft(await violations(page), name).toEqual([]);
  const overflow = await page.evaluate(() => document.documentElement.scrollWidth - document.documentElement.clientWidth);
  expect.soft(overflow, `${name} scrolls sideways`).toBeLessThanOrEqual(0);
}

const entries = `/projects/${worldDesk}/collections/${articles}`;

/** Presses a key until a dialog opens: shortcuts work a moment after the page is shown. */
async function press(page: Page, key: string) {
  await expect(async () => {
    await page.keyboard.press(key);
    await expect(page.getByRole('dialog')).toBeVisible({ timeout: 2_000 });
  }).toPass();
}

/** Overlays by page: name, path of the page, action that opens it, and selector of an element that it then shows. */
const overlays: [name: string, path: string, open: (page: Page) => Promise<void>, shown: string][] = [
  ['menu of projects', '/inbox', (page) => page.getByRole('button', { name: /^Project: World Desk/ }).click(), '[role=menu]'],
  ['menu of the user', '/inbox', (page) => page.getByRole('button', { name: /ada@/ }).click(), '[role=menu]'],
  ['menu of a row', `/projects/${worldDesk}/tokens`, (page) => page.getByRole('button', { name: /^Actions/ }).first().click(), '[role=menu]'],
  ['notices', '/inbox', (page) => page.getByRole('button', { name: /^Notices/ }).click(), '[role=dialog]'],
  ['search', '/inbox', (page) => press(page, '/'), '[role=dialog]'],
  ['keys', '/inbox', (page) => press(page, '?'), '[role=dialog]'],
  ['choice of a type', `/projects/${worldDesk}/media`, (page) => page.getByRole('button', { name: /Type/ }).click(), '[role=listbox]'],
  [
    'choice of a time zone',
    '/account',
    async (page) => {
      const zone = page.getByRole('combobox', { name: 'Time zone' });
      await zone.scrollIntoViewIfNeeded();
      await still(page); // a list closes when the page scrolls
      await zone.fill('kolkata');
    },
    '[role=listbox]',
  ],
  ['columns', entries, (page) => page.getByRole('button', { name: 'Columns' }).click(), '[role=dialog]'],
  ['filter', entries, (page) => page.getByRole('button', { name: 'Filter' }).click(), '[role=dialog]'],
  ['views', entries, (page) => page.getByRole('button', { name: 'Views' }).first().click(), '[role=menu], [role=dialog]'],
  ['API request', entries, (page) => page.getByRole('button', { name: 'API request' }).click(), '[role=dialog]'],
  ['invitation of a person', '/organisation/users', (page) => page.getByRole('button', { name: 'Invite', exact: true }).click(), '[role=dialog]'],
  ['invitation to a project', `/projects/${worldDesk}/members`, (page) => page.getByRole('button', { name: 'Invite by e-mail' }).click(), '[role=dialog]'],
  ['times', `${entries}/new`, (page) => page.getByRole('button', { name: 'Choose a time' }).click(), '[role=dialog]'],
  ['picker of media', `${entries}/new`, (page) => page.getByRole('button', { name: 'Cover Choose from the media' }).click(), '[role=dialog]'],
  ['picker of an entry', `${entries}/new`, (page) => page.getByRole('combobox', { name: 'Country' }).fill('a'), '[role=listbox]'],
  ['deletion', `/projects/${worldDesk}/settings`, (page) => page.getByRole('button', { name: 'Delete the project' }).click(), '[role=dialog]'],
];

/** While a combo box is open, React Aria hides the rest of the page from screen readers, including controls that Tab reaches only after the list is closed. */
const comboBoxes = ['choice of a time zone', 'picker of an entry'];
const hiddenByComboBox = ['aria-hidden-focus', 'page-has-heading-one', 'region'];

for (const path of new Set(overlays.map((one) => one[1]))) {
  test(`overlays are accessible: ${path}`, async ({ as }) => {
    const page = await as('superAdmin');
    await page.goto(`/dashboard${path}`);
    await page.waitForLoadState('networkidle');
    for (const [name, , open, shown] of overlays.filter((one) => one[1] === path)) {
      const overlay = page.locator(shown).first();
      const options = { without: comboBoxes.includes(name) ? hiddenByComboBox : [] };
      // What loads late may move the page, which closes a list: only an overlay that stays is checked.
      await expect(async () => {
        if (!(await overlay.isVisible())) await open(page);
        await expect(overlay).toBeVisible();
        await still(page);
        const found = await violations(page, options);
        expect(await overlay.isVisible(), `${name} stays`).toBe(true);
        expect(found, name).toEqual([]);
      }).toPass({ timeout: 60_000 });
      await page.emulateMedia({ colorScheme: 'dark' });
      await still(page);
      expect.soft(await violations(page, { rules: ['color-contrast'] }), `${name}, dark`).toEqual([]);
      await page.emulateMedia({ colorScheme: 'light' });
      await page.keyboard.press('Escape');
      await expect(page.locator(shown)).toHaveCount(0);
    }
  });
}

test('the navigation on a phone is accessible', async ({ as }) => {
  const page = await as('superAdmin', { viewport: { width: 390, height: 844 } });
  await page.goto('/dashboard/inbox');
  await page.getByRole('button', { name: 'Menu' }).click();
  await expect(page.getByRole('dialog')).toBeVisible();
  expect(await violations(page)).toEqual([]);
});

test('signing in again is accessible', async ({ as }) => {
  const page = await as('viewer');
  await page.goto('/dashboard/account');
  await call(await as('viewer', { ownSession: true }), 'DELETE', '/api/me/sessions');
  await page.getByRole('textbox', { name: 'Name', exact: true }).fill('Vera');
  await page.getByRole('button', { name: 'Save name' }).click();
  await expect(page.getByRole('region', { name: 'Sign in again' })).toBeVisible();
  expect(await violations(page)).toEqual([]);
  await page.getByRole('button', { name: 'Sign in again' }).click();
  await expect(page.getByRole('dialog', { name: 'Sign in again' })).toBeVisible();
  expect(await violations(page)).toEqual([]);
});

test('the page after a decision is accessible', async ({ as }) => {
  const id = await submitted(await as('editor'), `Decided accessibly ${Date.now()}`);
  const page = await as('projectAdmin');
  await page.goto(at.review(id));
  await page.getByRole('button', { name: 'Approve' }).focus();
  await page.keyboard.press('Enter');
  await expect(page.getByRole('status').filter({ hasText: 'Approved.' })).toBeVisible();
  expect(await violations(page)).toEqual([]);
});

test('two versions side by side are accessible', async ({ as }) => {
  const page = await as('editor');
  const path = `/api/projects/${worldDesk}/collections/${articles}/content`;
  const { id, version } = await call(page, 'POST', path, { fields: { title: 'Both wrote it', summary: 'At first.' } });
  await page.goto(`/dashboard${entries}/entries/${id}`);
  await page.getByLabel('Summary').waitFor();
  await call(page, 'PATCH', `${path}/${id}`, { fields: { summary: 'By the other one.' } }, { 'If-Match': `"${version}"` });
  await page.getByLabel('Summary').fill('By this one.');
  const question = page.getByRole('region', { name: 'Two versions of the same text' });
  await expect(question).toBeVisible();
  expect(await violations(page)).toEqual([]);
  await question.getByRole('button', { name: 'Choose' }).click();
  await expect(page.getByRole('dialog')).toBeVisible();
  expect(await violations(page)).toEqual([]);
});

/** Expects that a page is accessible in both appearances, and does not scroll sideways. */
async function checkBoth(page: Page, name: string) {
  for (const colorScheme of ['light', 'dark'] as const) {
    await page.emulateMedia({ colorScheme });
    await still(page);
    await checkAppearance(page, `${name}, ${colorScheme}`);
  }
}

test('the pages of signing in are accessible on a phone', async ({ as, visitor }) => {
  const [admin, page] = [await as('superAdmin'), await visitor({ viewport: { width: 320, height: 720 }, locale: 'de-DE' })];
  const { email, password, id } = await person(admin, page, 'Axel Sand');

  await page.goto('/dashboard/second-factor');
  await checkBoth(page, 'set-up of a second step');
  await page.locator('button[type=submit]').click();
  const secret = (await page.locator('code').textContent())!;
  await checkBoth(page, 'set-up of an app');
  await page.locator('#code').fill('000000');
  await page.keyboard.press('Enter');
  await expect(page.getByRole('alert')).not.toBeEmpty();
  await checkBoth(page, 'set-up of an app, wrong code');
  await page.locator('#code').fill(codeOf(secret));
  await page.keyboard.press('Enter');
  await expect(page.locator('.codes')).toBeVisible();
  await checkBoth(page, 'recovery codes');

  await page.context().clearCookies();
  await page.goto('/dashboard/sign-in');
  await checkBoth(page, 'sign-in');
  await signInAs(page, { email, password });
  await expect(page.locator('#totp')).toBeVisible();
  await checkBoth(page, 'second step');
  await page.locator('summary').last().click();
  await expect(page.locator('#recovery')).toBeVisible();
  await checkBoth(page, 'second step with a recovery code');

  await page.goto('/dashboard/forgot');
  await checkBoth(page, 'forgotten password');
  await page.locator('#email').fill(email);
  await page.keyboard.press('Enter');
  await expect(page.locator('#email')).toHaveCount(0);
  await checkBoth(page, 'forgotten password, sent');
  const [reset] = await linksTo(admin, email, 'reset');
  await page.goto(reset!);
  await checkBoth(page, 'new password');
  await page.goto('/reset/none');
  await checkBoth(page, 'link that does not work');

  const invited = `axe-${randomUUID()}@meridian.example`;
  await call(admin, 'POST', '/api/invitations', { email: invited, roles: [{ role: 'editor', projectId: worldDesk }, { role: 'department_admin', departmentId: facts.departments.marketing }] });
  const [invitation] = await linksTo(admin, invited, 'invite');
  await page.goto(invitation!);
  await checkBoth(page, 'invite');

  await call(admin, 'DELETE', `/api/users/${id}/factors`);
  await call(page, 'POST', '/api/session', { email, password });
  await page.goto(invitation!);
  await checkBoth(page, 'invitation of another person');
  await page.getByRole('button', { name: 'Abmelden und fortfahren' }).click();
  await expect(page.getByLabel('Ihr Name')).toBeVisible();
  await call(page, 'POST', '/api/session', { email, password });
  const fresh = `axel.new-${randomUUID()}@meridian.example`;
  await call(page, 'POST', '/api/me/email', { email: fresh });
  const [address] = await linksTo(admin, fresh, 'address');
  await page.goto(address!);
  await checkBoth(page, 'new address');
  await page.locator('button[type=submit]').click();
  await expect(page.locator('button[type=submit]')).toHaveCount(0);
  await checkBoth(page, 'new address, confirmed');
});

test('the dialogs of the account are accessible on a phone', async ({ as, visitor }) => {
  const [admin, page] = [await as('superAdmin'), await visitor({ viewport: { width: 320, height: 720 } })];
  await person(admin, page, 'Alma Sand');
  await page.goto('/dashboard/account');
  await page.getByRole('button', { name: 'Set up an authenticator app' }).click();
  const dialog = page.getByRole('dialog');
  await expect(dialog).toBeVisible();
  await checkBoth(page, 'set-up of an app');
  const secret = /([A-Z2-7]{4} ){7}[A-Z2-7]{4}/.exec((await dialog.textContent())!)![0];
  await dialog.getByLabel('Code of the app').fill(codeOf(secret));
  await page.keyboard.press('Enter');
  await expect(page.getByRole('dialog', { name: 'Keep these codes' })).toBeVisible();
  await checkBoth(page, 'recovery codes');
  await dialog.getByRole('button', { name: 'I have kept them' }).click();
  await page.getByRole('button', { name: 'Remove the app' }).click();
  await expect(dialog).toBeVisible();
  await checkBoth(page, 'removal of an app');
  await dialog.getByRole('button', { name: 'Remove the app' }).click();
  const proof = page.getByRole('dialog', { name: 'Show that it is you' });
  await proof.getByLabel('Code of your authenticator app').fill('000000');
  await page.keyboard.press('Enter');
  await expect(proof.getByLabel('Code of your authenticator app')).toHaveAccessibleDescription(/wrong/);
  await checkBoth(page, 'question for a proof');
});

for (const colorScheme of ['light', 'dark'] as const) {
  for (const locale of ['en-GB', 'de-DE']) {
    test(`the sign-in page is accessible, ${colorScheme}, ${locale}`, async ({ browser }) => {
      const context = await browser.newContext({ baseURL: facts.baseUrl, colorScheme, locale });
      const page = await context.newPage();
      await page.goto('/dashboard/sign-in');
      expect.soft(await violations(page)).toEqual([]);
      await page.locator('#email').fill('no.such.user@meridian.example');
      await page.locator('#password').fill('no such password');
      await page.locator('button[type=submit]').click();
      await expect(page.locator('.fault')).not.toBeEmpty();
      expect.soft(await violations(page)).toEqual([]);
      await expect(page.locator('html')).toHaveAttribute('lang', locale.slice(0, 2));
      await context.close();
    });
  }
}
