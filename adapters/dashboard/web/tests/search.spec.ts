import type { Page, Route } from '@playwright/test';
import { violations } from './axe';
import { articles, call, expect, facts, submitted, test } from './fixtures';

const phone = { viewport: { width: 390, height: 844 } };
const worldDesk = facts.projects.worldDesk.id;
const archive = facts.projects.archive.id;

const everything = (page: Page) => page.getByRole('combobox', { name: 'Search everything' });
const found = (page: Page, kind: string) => page.getByRole('group', { name: kind, exact: true }).getByRole('option');

/** Holds the requests whose query has the words, until the returned function lets them go on. */
async function hold(page: Page, words: string): Promise<() => Promise<void>> {
  const held: Route[] = [];
  await page.route(
    (url) => [url.searchParams.get('q'), url.searchParams.get('search')].includes(words),
    (route) => void held.push(route),
  );
  return async () => {
    await expect.poll(() => held.length).toBeGreaterThan(0);
    // The page has cancelled the requests: going on with them fails.
    for (const route of held) await route.continue().catch(() => undefined);
  };
}

/** Opens the search by its key, which does nothing until the page listens. */
async function opened(page: Page) {
  await expect(async () => {
    if (!(await everything(page).isVisible())) await page.keyboard.press('/');
    await expect(everything(page)).toBeVisible({ timeout: 2000 });
  }).toPass();
}

for (const colorScheme of ['light', 'dark'] as const) {
  test(`the search finds each kind of thing by keyboard alone, ${colorScheme}`, async ({ as }) => {
    const page = await as('superAdmin', { colorScheme, ...phone });
    const quay = `Quay ${colorScheme} ${Date.now()}`;
    const id = await submitted(page, quay);
    const { releaseNumber } = await call(page, 'GET', `${articles.api}/${id}/approval`);
    await call(page, 'POST', `/api/projects/${archive}/collections`, { slug: `quay-${colorScheme}-${Date.now()}`, name: quay });
    const upload = await page.request.post(`${facts.baseUrl}/api/projects/${worldDesk}/media/upload`, {
      headers: { Origin: facts.baseUrl },
      multipart: { file: { name: `${colorScheme}-${Date.now()}.txt`, mimeType: 'text/plain', buffer: Buffer.from(quay) }, caption: quay },
    });
    expect(upload.status()).toBe(201);
    await page.goto('/dashboard/inbox');
    await expect(page.getByRole('heading', { level: 1 })).toBeVisible();

    await opened(page);
    await everything(page).pressSequentially(quay.toUpperCase());
    await expect(found(page, 'Entries')).toContainText([quay]);
    await expect(found(page, 'Media')).toContainText([quay]);
    await expect(found(page, 'Collections')).toContainText([quay]);
    await expect(page.getByRole('dialog').getByRole('status')).toHaveText('3 results'); // for screen readers
    expect(await violations(page)).toEqual([]);
    await page.keyboard.press('ArrowUp'); // from the first to the last
    await expect(found(page, 'Collections')).toHaveAttribute('aria-selected', 'true');
    await page.keyboard.press('ArrowUp');
    await expect(found(page, 'Media')).toHaveAttribute('aria-selected', 'true');
    await page.keyboard.press('Enter');
    await expect(page).toHaveURL(new RegExp(`/projects/${worldDesk}/media\\?.*item=`));

    await page.goto('/dashboard/inbox');
    await expect(page.getByRole('heading', { level: 1 })).toBeVisible();
    await opened(page);
    await everything(page).pressSequentially(releaseNumber);
    await expect(found(page, 'Approval requests')).toContainText([releaseNumber]);
    await everything(page).fill(facts.users.editor.email);
    await expect(found(page, 'People')).toContainText([facts.users.editor.email]);
    await everything(page).fill('x'.repeat(300)); // more than the server takes
    await expect(page.getByText('Nothing found.')).toBeVisible();
    expect(await violations(page)).toEqual([]);
  });
}

test('a single character of Japanese is a word, and the Enter of an input method opens nothing', async ({ as }) => {
  const page = await as('superAdmin', phone);
  const { id } = await call(page, 'POST', articles.api, { fields: { title: '隅田川の橋' } });
  await page.goto('/dashboard/inbox');
  await expect(page.getByRole('heading', { level: 1 })).toBeVisible();
  await opened(page);
  await expect(everything(page)).toBeFocused();
  const input = await page.context().newCDPSession(page);
  const compose = (text: string) => input.send('Input.imeSetComposition', { text, selectionStart: text.length, selectionEnd: text.length });
  for (const text of ['h', 'は', 'はし', '橋']) await compose(text);
  await expect(found(page, 'Entries').first()).toContainText('隅田川の橋');
  await everything(page).evaluate((element) => {
    for (const init of [{ isComposing: true }, { keyCode: 229 }]) element.dispatchEvent(new KeyboardEvent('keydown', { key: 'Enter', bubbles: true, cancelable: true, ...init }));
  });
  await expect(everything(page)).toBeVisible();
  await input.send('Input.insertText', { text: '橋' });
  await expect(everything(page)).toHaveValue('橋');
  await expect(found(page, 'Entries').first()).toContainText('隅田川の橋');
  await page.keyboard.press('Enter');
  await expect(page).toHaveURL(articles.entry(id));
});

test('answers to earlier words do not replace those to later ones', async ({ as }) => {
  const page = await as('editor', phone);
  const stamp = Date.now();
  const [first, second] = [`mekong${stamp}`, `manila${stamp}`];
  for (const word of [first, second]) await call(page, 'POST', articles.api, { fields: { title: `Ferries of ${word}` } });
  await page.goto(articles.page);
  const box = page.getByRole('searchbox', { name: 'Search these entries' });
  await expect(page.getByText(`Ferries of ${first}`)).toBeVisible();
  let release = await hold(page, first);
  await box.fill(first);
  await expect(page).toHaveURL(new RegExp(`q=${first}`));
  await box.fill(second);
  await expect(page.getByRole('status').filter({ hasText: '1 entry' })).toBeVisible();
  await release();
  await expect(page.getByText(`Ferries of ${second}`)).toBeVisible();
  await expect(page.getByText(`Ferries of ${first}`)).toHaveCount(0);

  const prefix = first.slice(0, -1); // another address than that of the list
  release = await hold(page, prefix);
  await page.getByRole('button', { name: 'Search everything' }).click();
  const asked = page.waitForRequest((request) => request.url().includes(`q=${prefix}`));
  await everything(page).fill(prefix);
  await asked;
  await everything(page).fill(second);
  await expect(found(page, 'Entries')).toContainText([`Ferries of ${second}`]);
  await release();
  await everything(page).press('End');
  await expect(found(page, 'Entries')).toContainText([`Ferries of ${second}`]);
  await expect(page.getByRole('option').filter({ hasText: first })).toHaveCount(0);
});

test('a list keeps its words and its filter in its address', async ({ as }) => {
  const page = await as('editor');
  const stamp = `Zinnia${Date.now()}`;
  for (const rating of [2, 4]) await call(page, 'POST', articles.api, { fields: { title: `${stamp} and „Größe“ ${rating}`, rating } });
  await page.goto(articles.page);
  const box = page.getByRole('searchbox', { name: 'Search these entries' });
  const all = await page.getByRole('status').filter({ hasText: /\d+ entries/ }).textContent();
  for (const nothing of ['  ', '“']) {
    await box.fill(nothing);
    await expect(page).toHaveURL(/q=/);
    await expect(page.getByRole('status').filter({ hasText: all! })).toBeVisible();
  }
  await box.fill(`“grosse” ${stamp.toLowerCase()}`);
  await expect(page.getByRole('status').filter({ hasText: '2 entries' })).toBeVisible();
  await page.getByRole('button', { name: 'Filter', exact: true }).click();
  const filter = page.getByRole('dialog');
  await filter.getByRole('button', { name: /Field/ }).click();
  await page.getByRole('option', { name: 'Rating' }).click();
  await filter.getByLabel('Value').fill('4');
  await page.keyboard.press('Enter');
  await expect(page.getByRole('status').filter({ hasText: '1 entry' })).toBeVisible();
  await page.reload();
  await expect(page.getByRole('status').filter({ hasText: '1 entry' })).toBeVisible();
  await expect(box).toHaveValue(`“grosse” ${stamp.toLowerCase()}`);
  await expect(page.getByRole('list', { name: 'Filters' })).toContainText('4');
  await expect(page.getByRole('grid')).toContainText(`${stamp} and „Größe“ 4`);
  expect(await violations(page)).toEqual([]);
  await box.fill('word '.repeat(21));
  await expect(page.getByText('must have at most 20 words')).toBeVisible();
});
