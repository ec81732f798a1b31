import type { Page } from '@playwright/test';
import { articles, call, expect, facts, test } from './fixtures';
import { violations } from './axe';

const project = `/api/projects/${facts.projects.worldDesk.id}`;
const pages = `/dashboard/projects/${facts.projects.worldDesk.id}/releases`;

const article = async (page: Page, title: string, fields: Record<string, unknown> = {}) => (await call(page, 'POST', articles.api, { fields: { title, summary: 'A summary.', ...fields } })).id as number;

/** Creates a release of these entries through the API, and returns its id. */
async function releaseOf(page: Page, name: string, entryIds: readonly number[]): Promise<number> {
  const { id } = await call(page, 'POST', `${project}/releases`, { name });
  for (let i = 0; i < entryIds.length; i += 500) await call(page, 'POST', `${project}/releases/${id}/members`, { members: entryIds.slice(i, i + 500).map((entryId) => ({ entryId })) });
  return id;
}

const members = async (page: Page, id: number) => (await call(page, 'GET', `${project}/releases/${id}/members`)).data as { entryId: number; action: string }[];

test('a release is created and gets entries by a search, from an entry and from a list', async ({ as }) => {
  const page = await as('editor');
  const stamp = Date.now();
  const [found, opened, listed] = [await article(page, `Searched ${stamp}`), await article(page, `Opened ${stamp}`), await article(page, `Listed ${stamp}`)];
  await page.goto(pages);
  await page.getByRole('button', { name: 'Create a release' }).click();
  const name = `Autumn ${stamp}`;
  await page.getByRole('dialog').getByLabel('Name').fill(name);
  await page.getByRole('dialog').getByRole('button', { name: 'Create a release' }).click();
  await expect(page.getByRole('heading', { level: 1, name })).toBeVisible();
  const id = Number(/releases\/(\d+)/.exec(page.url())![1]);

  await page.getByRole('button', { name: 'Add entries' }).click();
  await page.getByLabel('Search for entries').fill(`Searched ${stamp}`);
  await page.getByRole('button', { name: `Add Searched ${stamp}` }).click();
  await expect(page.getByRole('button', { name: `Searched ${stamp} is in the release` })).toBeVisible();
  await page.getByRole('button', { name: 'Done' }).click();
  await expect(page.getByRole('link', { name: `Searched ${stamp}` })).toBeVisible();

  await page.goto(articles.entry(opened));
  await page.getByRole('button', { name: 'Add to release…' }).click();
  const dialog = page.getByRole('dialog', { name: 'Add to a release' });
  await dialog.getByRole('button', { name: /Release$/ }).click();
  await page.getByRole('option', { name }).click();
  await dialog.getByRole('button', { name: 'Add', exact: true }).click();
  await expect(page.getByText(`Added to ${name}.`)).toBeVisible();
  await expect(page.getByText('It is part of the open release')).toBeVisible();

  await page.goto(`${articles.page}?q=${encodeURIComponent(`Listed ${stamp}`)}`);
  await page.getByRole('checkbox', { name: `Select Listed ${stamp}` }).check({ force: true });
  await page.getByRole('button', { name: 'Add to release…' }).click();
  await dialog.getByRole('button', { name: /Release$/ }).click();
  await page.getByRole('option', { name }).click();
  await dialog.getByRole('button', { name: 'Add', exact: true }).click();
  await expect(page.getByText(`Added to ${name}.`)).toBeVisible();
  expect((await members(page, id)).map(({ entryId }) => entryId).sort()).toEqual([found, opened, listed].sort());

  await page.goto(pages);
  await page.getByLabel('Search releases').fill(name);
  await expect(page.getByRole('link', { name: new RegExp(`${name}.*3 entries: 3 will be published`) })).toBeVisible();
});

test('results of the search are added to a release by keyboard alone', async ({ as }) => {
  const page = await as('editor', { viewport: { width: 390, height: 844 } });
  const stamp = Date.now();
  const ids = [await article(page, `Gathered${stamp} one`), await article(page, `Gathered${stamp} two`)];
  const id = await releaseOf(page, `Gathering ${stamp}`, []);
  await page.goto(pages);
  await expect(page.getByRole('heading', { level: 1 })).toBeVisible();
  const field = page.getByRole('combobox', { name: 'Search everything' });
  await expect(async () => {
    if (!(await field.isVisible())) await page.keyboard.press('/');
    await expect(field).toBeVisible({ timeout: 2000 });
  }).toPass();
  await field.pressSequentially(`Gathered${stamp}`);
  await expect(page.getByRole('group', { name: 'Entries' }).getByRole('option')).toHaveCount(2);
  await page.keyboard.press('Tab');
  await expect(page.getByRole('button', { name: 'Add entries to a release…' })).toBeFocused();
  await page.keyboard.press('Enter');
  await expect(field).toBeFocused();
  await page.keyboard.press('Enter');
  await page.keyboard.press('ArrowDown');
  await page.keyboard.press('Enter');
  await expect(page.getByRole('option', { selected: true })).toHaveCount(2);
  expect(await violations(page)).toEqual([]);
  await page.keyboard.press('Tab');
  await expect(page.getByRole('button', { name: 'Add 2 entries to a release…' })).toBeFocused();
  await page.keyboard.press('Enter');
  const dialog = page.getByRole('dialog', { name: 'Add 2 entries to a release' });
  const release = dialog.getByRole('button', { name: /Release$/ });
  await expect(release).toContainText(`Gathering ${stamp}`); // the newest
  for (let i = 0; i < 4 && !(await dialog.getByRole('button', { name: 'Add', exact: true }).evaluate((button) => button === document.activeElement)); i++) await page.keyboard.press('Tab');
  await page.keyboard.press('Enter');
  await expect(page.getByText(`Added to Gathering ${stamp}.`)).toBeVisible();
  expect((await members(page, id)).map(({ entryId }) => entryId).sort()).toEqual(ids.sort());
});

test('a release publishes an earlier publication of an entry again, after showing what changes for readers', async ({ as }) => {
  const page = await as('editor');
  const stamp = Date.now();
  // The demo renamed a country by a release, and took that back.
  const { entryId, collectionId } = (await call(page, 'GET', `${project}/releases/${facts.releases.reverted}/members`)).data[0] as { entryId: number; collectionId: number };
  const history = (await call(page, 'GET', `${project}/collections/${collectionId}/content/${entryId}/publications`)).data as { number: number; unpublishedAt: string | null }[];
  const earlier = history.filter(({ unpublishedAt }) => unpublishedAt !== null);
  expect(earlier.length).toBeGreaterThan(1);
  const id = await releaseOf(page, `Again ${stamp}`, [entryId]);
  await page.goto(`${pages}/${id}`);
  const menu = page.getByRole('button', { name: /^What happens to|^Publish$/ }).first();
  await menu.click();
  await page.getByRole('menuitemradio', { name: 'Publish an earlier publication…' }).click();
  const dialog = page.getByRole('dialog', { name: /^Publish again:/ });
  await dialog.getByRole('button', { name: /Publication$/ }).click();
  await expect(page.getByRole('option', { name: /Readers see it now/ })).toHaveCount(1);
  await page.getByRole('option', { name: new RegExp(`^${earlier[0]!.number}, `) }).click();
  await expect(dialog.getByRole('heading', { name: 'What changes for readers' })).toBeVisible();
  await expect(dialog.locator('ins, del').first()).toBeVisible();
  expect(await violations(page)).toEqual([]);
  await dialog.getByRole('button', { name: `Publish ${earlier[0]!.number} again` }).click();
  await expect(page.getByText(`publication ${earlier[0]!.number} again`)).toBeVisible();
  expect(await members(page, id)).toMatchObject([{ entryId, action: 'publish', from: { publication: earlier[0]!.number } }]);

  // What the release changes is what the dialog showed.
  await page.getByRole('link', { name: 'See what it changes' }).click();
  await expect(page.getByRole('article')).toContainText(`publication ${earlier[0]!.number} again`);
  await expect(page.getByRole('article').locator('ins, del').first()).toBeVisible();

  // Another publication is chosen in the same way, and the draft again.
  await page.goto(`${pages}/${id}`);
  await page.getByRole('button', { name: 'Publish again' }).click();
  await page.getByRole('menuitemradio', { name: 'Publish an earlier publication…' }).click();
  await dialog.getByRole('button', { name: /Publication$/ }).click();
  await page.getByRole('option', { name: new RegExp(`^${earlier[1]!.number}, `) }).click();
  await dialog.getByRole('button', { name: `Publish ${earlier[1]!.number} again` }).click();
  await expect(page.getByText(`publication ${earlier[1]!.number} again`)).toBeVisible();
  await page.getByRole('button', { name: 'Publish again' }).click();
  await page.getByRole('menuitemradio', { name: 'Publish the draft' }).click();
  await expect(page.getByRole('button', { name: 'Publish', exact: true })).toBeVisible();
  expect(await members(page, id)).toMatchObject([{ entryId, from: 'draft' }]);
});

test('the page of an open release changes its name, its time and what happens to its entries', async ({ as }) => {
  const page = await as('editor');
  const stamp = Date.now();
  const [first, second] = [await article(page, `First ${stamp}`), await article(page, `Second ${stamp}`)];
  const id = await releaseOf(page, `Winter ${stamp}`, [first, second]);
  await page.goto(`${pages}/${id}`);
  await page.getByRole('button', { name: 'Leave out' }).first().waitFor();
  await page.getByRole('button', { name: `Leave out Second ${stamp}` }).click();
  await expect(page.getByText('1 entry: 1 will be published')).toBeVisible();
  await page.getByRole('listitem').filter({ hasText: `First ${stamp}` }).getByRole('button', { name: 'Publish' }).click();
  await page.getByRole('menuitemradio', { name: 'End' }).click();
  await expect(page.getByText('1 entry: 1 will end')).toBeVisible();
  expect(await members(page, id)).toMatchObject([{ entryId: first, action: 'unpublish' }]);

  await page.getByLabel('Description').fill('For the first snow.');
  await page.getByRole('button', { name: 'Save' }).click();
  await expect(page.getByText('The release was saved.')).toBeVisible();
  expect(await call(page, 'GET', `${project}/releases/${id}`)).toMatchObject({ description: 'For the first snow.' });

  // Another person changes it meanwhile: the page says so and shows the new version.
  await call(page, 'PATCH', `${project}/releases/${id}`, { name: `Spring ${stamp}` });
  await page.getByRole('button', { name: `Leave out First ${stamp}` }).click();
  await expect(page.getByRole('heading', { level: 1, name: `Spring ${stamp}` })).toBeVisible();

  await page.getByRole('button', { name: 'Delete' }).click();
  await page.getByRole('dialog').getByRole('button', { name: 'Delete' }).click();
  await expect(page.getByText(`Spring ${stamp} was deleted.`)).toBeVisible();
});

test('what keeps a release from being sent is listed by entry', async ({ as }) => {
  const page = await as('editor');
  const stamp = Date.now();
  const { id: bare } = await call(page, 'POST', `${articles.api}?check=draft`, { fields: { summary: `Without a title ${stamp}` } });
  const id = await releaseOf(page, `Faulty ${stamp}`, [bare, await article(page, `Fine ${stamp}`)]);
  await page.goto(`${pages}/${id}`);
  const check = page.getByRole('region', { name: 'Before it is sent' }).or(page.locator('[aria-labelledby=check]')).first();
  await expect(check.getByRole('link', { name: `Entry ${bare} without a title` })).toBeVisible();
  await call(page, 'PATCH', `${articles.api}/${bare}`, { fields: { title: `Titled ${stamp}` } });
  await page.reload();
  await expect(page.getByText('Nothing keeps it from being sent.')).toBeVisible();
});

test('reviewers read what readers would notice after a release', async ({ as }) => {
  const page = await as('editor');
  const stamp = Date.now();
  const [unchanged] = (await call(page, 'GET', `${articles.api}?status=published&limit=1`)).data as { id: number }[];
  const id = await releaseOf(page, `Noticed ${stamp}`, [unchanged!.id, await article(page, `Other ${stamp}`)]);
  await call(page, 'POST', `${project}/releases/${id}/publish`, {});
  const reviewer = await as('projectAdmin');
  await reviewer.goto(`${pages}/${id}`);
  await expect(reviewer.getByText('One warning:')).toBeVisible();
  await expect(reviewer.getByText('changes nothing: readers see this version already')).toBeVisible();
});

test('a release of many entries renders those in view, and its pages pass axe in both themes and on a phone', async ({ as }) => {
  const page = await as('editor');
  const stamp = Date.now();
  const ids: number[] = [];
  for (let i = 0; i < 120; i += 10) ids.push(...(await Promise.all(Array.from({ length: 10 }, (_, k) => article(page, `Many ${stamp} ${i + k}`)))));
  const id = await releaseOf(page, `Many ${stamp}`, ids);
  await page.goto(`${pages}/${id}`);
  const list = page.getByRole('list', { name: 'Entries' });
  await expect(list.getByRole('listitem').first()).toHaveAttribute('aria-setsize', '120');
  expect(await list.getByRole('listitem').count()).toBeLessThan(60);
  expect(await violations(page)).toEqual([]);
  await page.emulateMedia({ colorScheme: 'dark' });
  expect(await violations(page)).toEqual([]);
  await page.setViewportSize({ width: 320, height: 700 });
  await expect(page.getByRole('heading', { level: 1, name: `Many ${stamp}` })).toBeVisible();
  expect(await violations(page)).toEqual([]);
  expect(await page.evaluate(() => document.documentElement.scrollWidth - innerWidth)).toBeLessThanOrEqual(0);
  await page.goto(pages);
  await expect(page.getByRole('link', { name: new RegExp(`Many ${stamp}`) })).toBeVisible();
  expect(await violations(page)).toEqual([]);
});

type Step = { currentStep: { stepOrder: number } | null; contentHash: string; status: string };

/** Approves the present step of a release through the API. */
async function approve(page: Page, id: number): Promise<string> {
  const { currentStep, contentHash } = (await call(page, 'GET', `${project}/releases/${id}/approval`)) as Step;
  return ((await call(page, 'POST', `${project}/releases/${id}/approval/approve`, { stepOrder: currentStep!.stepOrder, contentHash })) as Step).status;
}

test('a selection is submitted together, reviewed member by member, published in one instant and taken back', async ({ as }) => {
  const editor = await as('editor');
  const stamp = Date.now();
  const ids = [await article(editor, `Together ${stamp} one`), await article(editor, `Together ${stamp} two`)];
  await editor.goto(`${articles.page}?q=${encodeURIComponent(`Together ${stamp}`)}`);
  for (const one of ['one', 'two']) await editor.getByRole('checkbox', { name: `Select Together ${stamp} ${one}` }).check({ force: true });
  await editor.getByRole('button', { name: 'Submit together…' }).click();
  const dialog = editor.getByRole('dialog', { name: 'Submit 2 entries together' });
  await dialog.getByLabel('Name of the release').fill(`Pair ${stamp}`);
  await dialog.getByRole('button', { name: 'Submit together' }).click();
  await expect(editor.getByText(/^Sent to review as CR-/)).toBeVisible();
  await editor.getByRole('button', { name: 'Show', exact: true }).click();
  await expect(editor.getByRole('heading', { name: 'Steps to publication' })).toBeVisible();

  const admin = await as('projectAdmin');
  await admin.goto('/dashboard/inbox?sort=newest');
  await admin.getByRole('link', { name: new RegExp(`Pair ${stamp}`) }).click();
  const list = admin.getByRole('list', { name: 'Entries of the release' });
  await expect(list.getByRole('listitem')).toHaveCount(2);
  await expect(admin.getByText('0 of 2 seen')).toBeVisible();
  await expect(admin.getByRole('article')).toContainText('This has never been published. Everything here is new.');
  await admin.getByRole('article').focus();
  await admin.keyboard.press('j');
  await expect(admin.getByText('1 of 2 seen')).toBeVisible();
  await expect(list.getByRole('link', { name: /two/ })).toHaveAttribute('aria-current', /true|page/);
  await admin.keyboard.press('j');
  await expect(admin.getByText('2 of 2 seen')).toBeVisible();
  await admin.keyboard.press('k');
  await expect(list.getByRole('link', { name: /one/ })).toHaveAttribute('aria-current', /true|page/);
  await admin.getByRole('button', { name: /What changes/ }).click();
  await admin.getByRole('option', { name: /^title/ }).click();
  await expect(list.getByRole('listitem')).toHaveCount(2);
  expect(await violations(admin)).toEqual([]);
  await admin.getByRole('article').focus();
  await admin.keyboard.press('a');
  await expect(admin.getByRole('button', { name: 'Approve all 2' })).toBeFocused();
  await admin.keyboard.press('Enter');
  await expect(admin.getByText(/^Approved\./)).toBeVisible();

  const id = Number(/releases\/(\d+)/.exec(editor.url())![1]);
  await approve(await as('legal'), id);
  expect(await approve(await as('departmentAdmin'), id)).toBe('published');
  const [first, second] = await Promise.all(ids.map((one) => call(editor, 'GET', `${articles.api}/${one}/publications`)));
  expect(first.data[0].publishedAt).toBe(second.data[0].publishedAt);

  await editor.reload();
  await expect(editor.getByText('Published', { exact: true }).first()).toBeVisible();
  await editor.getByRole('button', { name: 'Take it back' }).click();
  await editor.getByRole('dialog').getByRole('button', { name: 'Make the release' }).click();
  await expect(editor.getByRole('heading', { level: 1, name: `Revert: Pair ${stamp}` })).toBeVisible();
  await expect(editor.getByText('2 entries: 2 will end')).toBeVisible();
});

test('a release promises no publication before the workflow is known', async ({ as }) => {
  const page = await as('editor');
  const name = `Slow ${Date.now()}`;
  const id = await releaseOf(page, name, [await article(page, `${name} one`)]);
  let resolve = () => undefined as void;
  const promise = new Promise<void>((done) => (resolve = done));
  await page.route('**/approval-workflow/effective*', async (route) => {
    await promise;
    await route.continue();
  });
  await page.goto(`${pages}/${id}`);
  await expect(page.getByRole('link', { name: `${name} one` })).toBeVisible();
  await expect(page.getByRole('button', { name: /^(Publish now|Send to review|Schedule)/ })).toHaveCount(0);
  resolve();
  await expect(page.getByRole('button', { name: 'Send to review' })).toBeEnabled();
});

test('a release is sent from its page, and is open again with its round when it is rejected', async ({ as }) => {
  const page = await as('editor');
  const stamp = Date.now();
  const id = await releaseOf(page, `Sent ${stamp}`, [await article(page, `Sent ${stamp} one`)]);
  await page.goto(`${pages}/${id}`);
  await page.getByRole('button', { name: 'Send to review' }).click();
  const dialog = page.getByRole('dialog', { name: `Sent ${stamp}: send it?` });
  await expect(dialog).toContainText('One review decides about all entries:');
  await dialog.getByRole('button', { name: 'Send to review' }).click();
  await expect(page.getByText('In review').first()).toBeVisible();
  await page.goto(`${pages}?state=pending`);
  await expect(page.getByRole('link', { name: new RegExp(`Sent ${stamp}.*Step 1 of`) })).toBeVisible();
  // A reviewer sends it back: it is open again, with its round.
  const admin = await as('projectAdmin');
  const { currentStep, contentHash } = (await call(admin, 'GET', `${project}/releases/${id}/approval`)) as Step;
  await call(admin, 'POST', `${project}/releases/${id}/approval/reject`, { stepOrder: currentStep!.stepOrder, contentHash, comment: 'Not now.' });
  await page.goto(`${pages}/${id}`);
  await expect(page.getByText('The last round was', { exact: false })).toBeVisible();
  await page.getByRole('link', { name: 'Record' }).click();
  await expect(page.getByText('The record is complete')).toBeVisible();
  await page.getByRole('button', { name: 'Close', exact: true }).click();
  await page.getByRole('dialog').getByRole('button', { name: 'Close', exact: true }).click();
  await expect(page.getByText(`Sent ${stamp} was closed.`)).toBeVisible();
});
