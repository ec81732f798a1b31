import { articles, call, expect, facts, submitted, test } from './fixtures';

const world = facts.projects.worldDesk.id;
const blog = facts.projects.blog.id;
const countries = `/dashboard/projects/${world}/collections/${facts.collections.countries}`;
const posts = { page: `/dashboard/projects/${blog}/collections/${facts.collections.posts}`, api: `/api/projects/${blog}/collections/${facts.collections.posts}/content` };

test('the table by keyboard: move, select, open', { tag: '@firefox' }, async ({ as }) => {
  const page = await as('editor');
  await page.goto(`${countries}?sort=name:asc`);
  const grid = page.getByRole('grid');
  await expect(page.getByText('250 entries')).toBeVisible();
  await expect(grid).toHaveAttribute('aria-rowcount', '251');
  await grid.focus();
  await page.keyboard.press('End');
  await expect(grid).toHaveAttribute('aria-activedescendant', 'row-249');
  await expect(page.locator('#row-249')).toContainText('Zimbabwe');
  // Only visible rows are rendered.
  expect(await page.getByRole('row').count()).toBeLessThan(80);
  await page.keyboard.press('Space');
  await page.keyboard.press('Shift+ArrowUp');
  await expect(page.getByRole('region', { name: 'Selected entries' })).toContainText('2 entries selected');
  await page.keyboard.press('Home');
  await expect(page.locator('#row-0')).toContainText('Afghanistan');
  await page.keyboard.press('Enter');
  await page.waitForURL(/entries\/\d+$/);
});

test('a range covers entries that are not loaded', async ({ as }) => {
  const page = await as('editor');
  await page.goto(`${countries}?sort=name:asc`);
  await expect(page.getByText('250 entries')).toBeVisible();
  await page.getByRole('grid').focus();
  await page.keyboard.press('Space');
  await page.keyboard.press('End');
  await expect(page.locator('#row-249')).toContainText('Zimbabwe');
  await page.keyboard.press('Shift+Space');
  await expect(page.getByRole('region', { name: 'Selected entries' })).toContainText('250 entries selected');
});

test('Shift with a click selects a range, and cancelling the question of an action keeps it', async ({ as }) => {
  const page = await as('editor');
  await page.goto(`${countries}?sort=name:asc`);
  await expect(page.getByText('250 entries')).toBeVisible();
  const box = (row: number) => page.locator(`#row-${row} label`);
  const selected = page.getByRole('region', { name: 'Selected entries' });
  await box(1).click();
  await box(5).click({ modifiers: ['Shift'] });
  await expect(selected).toContainText('5 entries selected');
  await selected.getByRole('button', { name: 'Move to the trash' }).click();
  await expect(page.getByRole('dialog')).toBeVisible();
  await page.keyboard.press('Escape');
  await expect(page.getByRole('dialog')).toBeHidden();
  await expect(selected).toContainText('5 entries selected');
});

test('a filter is in the URL, and the shown API request has the same result', async ({ as }) => {
  const page = await as('viewer');
  await page.goto(countries);
  await page.getByRole('button', { name: 'Filter', exact: true }).click();
  await page.getByRole('textbox', { name: 'Value' }).fill('Sw');
  await page.keyboard.press('Enter');
  await expect(page.getByText('4 entries')).toBeVisible();
  const url = page.url();
  expect(decodeURIComponent(url)).toContain('["name","like","Sw"]');

  // Relations and media are chosen by name.
  const choose = async (field: string) => {
    await page.getByRole('button', { name: 'Filter', exact: true }).click();
    await page.getByRole('button', { name: 'Field' }).click();
    await page.getByRole('option', { name: field, exact: true }).first().click(); // another is of the related entry
  };
  await choose('Borders');
  await page.getByRole('combobox', { name: 'Value' }).fill('Norw');
  await page.getByRole('option', { name: /Norway/ }).click();
  await page.getByRole('button', { name: 'Add filter' }).click();
  await expect(page.getByText('1 entry')).toBeVisible();
  await expect(page.getByRole('list', { name: 'Filters' })).toContainText('Borders has Norway');
  await page.goto(articles.page);
  await choose('Cover');
  await page.getByRole('button', { name: 'Value' }).click();
  const picker = page.getByRole('dialog', { name: 'Choose a file' });
  await picker.getByRole('gridcell').first().click();
  await picker.getByRole('button', { name: 'Choose', exact: true }).click();
  await page.getByRole('button', { name: 'Add filter' }).click();
  await expect(page.getByRole('list', { name: 'Filters' })).toContainText(/Cover is \S+\.(jpg|png)/);

  await page.goto('/dashboard/inbox');
  await page.goto(url);
  await expect(page.getByText('4 entries')).toBeVisible();
  // A viewer does not see the actions of editors.
  await expect(page.getByRole('link', { name: 'New entry' })).toHaveCount(0);
  await expect(page.getByRole('checkbox')).toHaveCount(0);

  await page.getByRole('button', { name: 'API request' }).click();
  const request = await page.getByRole('region', { name: 'Request' }).innerText();
  const answer = await page.request.get(request, { headers: { Authorization: `Bearer ${facts.tokens.worldDesk.drafts}` } });
  expect((await answer.json()).data).toHaveLength(4);
});

test('a calendar date is the same day in every time zone', async ({ as }) => {
  const page = await as('superAdmin');
  const title = `Dated ${Date.now()}`;
  const { id } = await call(page, 'POST', articles.api, { fields: { title, publishedOn: '2026-07-01' } });
  await call(page, 'PATCH', '/api/me/settings', { timeZone: 'Pacific/Pago_Pago' }); // 13 h behind the browser
  await page.goto(`${articles.page}?columns=publishedOn&q=${encodeURIComponent(title)}`);
  await expect(page.getByRole('row', { name: title }).getByText('1 Jul 2026', { exact: true })).toBeVisible();
  await call(page, 'PATCH', '/api/me/settings', { timeZone: null });
  await call(page, 'DELETE', `${articles.api}/${id}`);
});

test('bulk publishing shows a result for each entry', async ({ as }) => {
  const page = await as('superAdmin');
  const title = `Many ${Date.now()}`;
  const ids: number[] = [];
  for (let i = 0; i < 12; i++) ids.push((await call(page, 'POST', posts.api, { fields: { title: `${title} ${i}`, body: 'A text.' } })).id);
  await page.goto(`${posts.page}?q=${encodeURIComponent(title)}`);
  await expect(page.getByText('12 entries')).toBeVisible();
  await page.getByRole('grid').focus();
  await page.keyboard.press('Control+a');
  await expect(page.getByRole('region', { name: 'Selected entries' })).toContainText('12 entries selected');

  // One of them changes after the selection.
  await call(page, 'PATCH', `${posts.api}/${ids[3]}`, { fields: { body: 'Another text.' } });
  await page.getByRole('button', { name: 'Publish', exact: true }).click();
  await page.getByRole('button', { name: 'Publish now' }).click();
  const dialog = page.getByRole('dialog');
  await expect(dialog).toContainText('11 of 12 done, 1 failed');
  await expect(dialog).toContainText('It has changed since you selected it.');
  await dialog.getByRole('button', { name: 'Try 1 again' }).click();
  await expect(dialog).toContainText('12 of 12 done');
  await dialog.getByRole('button', { name: 'Close' }).click();
  await expect(page.getByRole('grid')).toBeFocused();
  await expect(page.getByRole('row').filter({ hasText: 'Published' })).toHaveCount(12);
});

test('the list filters by status, and bulk actions apply to the filtered entries', async ({ as }) => {
  const page = await as('superAdmin');
  const title = `Status ${Date.now()}`;
  const add = (more: object) => call(page, 'POST', posts.api, { ...more, fields: { title, body: 'A text.' } });
  await add({});
  await add({ published: true });
  await add({ published: true, publishAt: new Date(Date.now() + 86_400_000).toISOString() });
  for (let i = 0; i < 3; i++) {
    const { id } = await add({ published: true });
    await call(page, 'PATCH', `${posts.api}/${id}`, { keepPublished: true, fields: { body: `Changed ${i}.` } });
  }
  await page.goto(`${posts.page}?q=${encodeURIComponent(title)}`);
  await expect(page.getByText('6 entries')).toBeVisible();
  const rows = page.getByRole('grid').getByRole('row').filter({ hasText: title });
  const choose = async (option: string, of = 'State') => {
    await page.getByRole('button', { name: of }).click();
    await page.getByRole('option', { name: option, exact: true }).click();
  };
  await choose('Last edited by me', 'Last edited by');
  await expect(page).toHaveURL(/by=\d+/);
  await expect(page.getByText('6 entries')).toBeVisible();
  for (const [status, word] of [['draft', 'Draft'], ['scheduled', 'Scheduled'], ['published', 'Published']] as const) {
    await choose(word);
    await expect(page).toHaveURL(new RegExp(`status=${status}`));
    await expect(page.getByText('1 entry')).toBeVisible();
    await expect(rows).toHaveCount(1);
    await expect(rows).toContainText(word);
  }
  await choose('Unpublished changes');
  await expect(page.getByText('3 entries')).toBeVisible();
  await page.reload();
  await expect(page.getByRole('button', { name: 'State' })).toContainText('Unpublished changes');
  await expect(rows).toHaveCount(3);

  await page.getByRole('button', { name: 'API request' }).click();
  await expect(page.getByText('The content API has no filter by status')).toBeVisible();
  expect(await page.getByRole('region', { name: 'Request' }).innerText()).not.toContain('status=');
  await page.keyboard.press('Escape');

  await page.getByRole('grid').focus();
  await page.keyboard.press('Space');
  await page.getByRole('button', { name: 'Select all 3' }).click();
  await expect(page.getByRole('region', { name: 'Selected entries' })).toContainText('3 entries selected');
  await page.getByRole('button', { name: 'Publish', exact: true }).click();
  await page.getByRole('button', { name: 'Publish now' }).click();
  await expect(page.getByRole('dialog')).toContainText('3 of 3 done');
  await page.getByRole('dialog').getByRole('button', { name: 'Close' }).click();
  await expect(page.getByText('No entry matches')).toBeVisible();
});

test('entries in review have that status in the list', async ({ as }) => {
  const page = await as('editor');
  const list = `/api/projects/${world}/collections/${facts.collections.articles}/content`;
  const { meta } = await call(page, 'GET', `${list}?status=in_review&count=true&limit=1`);
  await page.goto(`${articles.page}?status=in_review`);
  const rows = page.getByRole('grid').getByRole('row').filter({ hasText: 'In review' });
  await expect(rows).toHaveCount(meta.total);
  await expect(page.getByRole('grid')).toHaveAttribute('aria-rowcount', String(meta.total + 1));
});

test('columns are reordered by keyboard, and the URL keeps their order', async ({ as }) => {
  const page = await as('editor');
  await page.goto(`${countries}?columns=name,_status,updatedAt`);
  await page.getByRole('button', { name: 'Columns' }).click();
  // A key that is pressed while the dialog takes the focus has no effect.
  const moved = /columns=name(%2C|,)updatedAt(%2C|,)_status/;
  await expect(async () => {
    if (!moved.test(page.url())) await page.getByRole('button', { name: 'Move Updated earlier' }).press('Enter');
    await expect(page).toHaveURL(moved, { timeout: 2_000 });
  }).toPass();
  await expect(page.getByRole('status').filter({ hasText: 'Updated is now at position 1 of 2' })).toHaveCount(1);
  await page.keyboard.press('Escape');
  await page.reload();
  await expect(page.getByRole('columnheader').filter({ hasText: /\w/ })).toHaveText([/Name/, /Updated/, /Status/]);
});

test('the history compares and restores revisions, and downloads proofs', async ({ as }) => {
  const page = await as('superAdmin');
  const { id } = await call(page, 'POST', posts.api, { published: true, fields: { title: 'First words', body: 'A text.' } });
  await call(page, 'PATCH', `${posts.api}/${id}`, { fields: { title: 'Second words' } });
  await page.goto(`${posts.page}/entries/${id}/history`);
  await expect(page.getByRole('heading', { name: 'From revision 1 to the draft now (revision 2)' })).toBeVisible();
  await expect(page.locator('del', { hasText: 'First' })).toBeVisible();
  await expect(page.locator('ins', { hasText: 'Second' })).toBeVisible();

  const [download] = await Promise.all([page.waitForEvent('download'), page.getByRole('link', { name: 'Download the proof of publication 1' }).click()]);
  expect(download.suggestedFilename()).toBe(`proof-${id}-1.json`);

  await page.getByRole('button', { name: 'Restore revision 1' }).click();
  await expect(page.getByRole('dialog')).toContainText('Readers keep seeing the current version until the draft is published');
  await page.getByRole('dialog').getByRole('button', { name: 'Restore' }).click();
  await expect(page.getByText('Revision 1 is restored.')).toBeVisible();
  await expect(page.getByRole('heading', { name: 'From revision 2 to the draft now (revision 3)' })).toBeVisible();
  expect((await call(page, 'GET', `${posts.api}/${id}`)).fields.title).toBe('First words');
});

test('the global search works by keyboard', { tag: '@firefox' }, async ({ as }) => {
  const page = await as('editor');
  await page.goto(articles.page);
  await expect(page.getByRole('grid')).toBeVisible();
  await page.keyboard.press('/');
  await page.keyboard.type('manila maps');
  await expect(page.getByRole('option', { selected: true })).toContainText('Manila maps its flood heroes');
  await page.keyboard.press('Enter');
  await page.waitForURL(/entries\/\d+$/);
  await page.keyboard.press('/');
  await page.keyboard.type('medi');
  await expect(page.getByRole('option', { selected: true })).toContainText('Media');
  await page.keyboard.press('Escape');
  await expect(page.getByRole('listbox')).toHaveCount(0);
});

test('the search finds entries of all projects and requests, for those who may open them', async ({ as }) => {
  const page = await as('superAdmin');
  const title = `Lighthouse ${Date.now()}`;
  await call(page, 'POST', posts.api, { fields: { title, body: 'A text.' } });
  const id = await submitted(await as('editor'), `Beside the ${title}`);
  const { releaseNumber } = await call(page, 'GET', `${articles.api}/${id}/approval`);
  const search = async (by: typeof page, words: string) => {
    await by.getByRole('button', { name: 'Search everything' }).click();
    await by.getByRole('combobox', { name: 'Search everything' }).fill(words);
  };
  await page.goto(articles.page);
  await search(page, title.slice(5));
  const entries = page.getByRole('group', { name: 'Entries' }).getByRole('option');
  await expect(entries).toHaveCount(2);
  await expect(entries.filter({ hasText: 'Blog' })).toContainText(title);
  await page.getByRole('combobox').fill(title);
  await expect(entries.first()).toContainText('Blog'); // its title begins with the words
  await page.keyboard.press('Enter');
  await expect(page).toHaveURL(new RegExp(`/projects/${blog}/.*/entries/`));

  await search(page, releaseNumber.toLowerCase());
  await expect(page.getByRole('group', { name: 'Approval requests' }).getByRole('option')).toContainText(title);
  await page.keyboard.press('Enter');
  await expect(page).toHaveURL(new RegExp(articles.review(id)));

  // On a slow network, what is loaded is found at once.
  await page.route('**/api/search?*', (route) => setTimeout(() => void route.continue(), 2000));
  await search(page, 'World De');
  await expect(page.getByRole('status').filter({ hasText: 'Searching' })).toBeVisible();
  await expect(page.getByRole('option', { name: 'World Desk', exact: true })).toBeVisible();

  const outsider = await as('outsider');
  await outsider.goto('/dashboard/inbox');
  for (const words of [title, releaseNumber]) {
    await search(outsider, words);
    await expect(outsider.getByText('Nothing found.')).toBeVisible();
    await outsider.keyboard.press('Escape');
  }
});
