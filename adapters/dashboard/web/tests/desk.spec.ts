import { articles, call, expect, facts, submitted, test } from './fixtures';
import { violations } from './axe';

const library = `/dashboard/projects/${facts.projects.worldDesk.id}/media`;

test('the library works by keyboard, and no input is lost', async ({ as }) => {
  const page = await as('editor');
  await page.goto(library);
  const cells = page.getByRole('gridcell');
  await cells.first().focus();
  await page.keyboard.press('ArrowRight');
  await page.keyboard.press('ArrowDown');
  await page.keyboard.press('Home');
  await page.keyboard.press('Space');
  await page.keyboard.press('Shift+ArrowRight');
  await expect(page.getByRole('toolbar', { name: 'Selected files' })).toContainText('2 selected');
  await page.keyboard.press('Enter');
  const panel = page.getByRole('complementary', { name: 'File' });
  await expect(panel.getByRole('heading', { level: 2 })).toBeFocused();

  // A caption that the API rejects keeps the panel open until the user decides.
  const caption = panel.getByRole('textbox', { name: 'Caption', exact: true });
  const before = await caption.inputValue();
  await caption.fill('x'.repeat(2001));
  await page.keyboard.press('Escape');
  const leave = page.getByRole('dialog', { name: 'Not everything is saved' });
  await leave.getByRole('button', { name: 'Cancel' }).click();
  await expect(panel).toContainText('Must have at most 2000 characters');
  await caption.fill(`${before}, again`);
  await caption.press('Escape');
  await expect(panel).toBeHidden();
  await expect(page.getByRole('gridcell', { name: `${before}, again` })).toBeFocused();
});

test('a published file cannot be deleted, and the dialog lists the entries that use it', async ({ as }) => {
  const page = await as('editor');
  const { data } = await call(page, 'GET', `/api/projects/${facts.projects.worldDesk.id}/media?search=badge`);
  await page.goto(`${library}?item=${data[0].id}`);
  await page.getByRole('complementary', { name: 'File' }).getByRole('button', { name: 'Delete' }).click();
  const dialog = page.getByRole('dialog');
  await expect(dialog.getByRole('alert')).toContainText('Readers see this file');
  await expect(dialog.getByRole('button', { name: 'Delete' })).toHaveCount(0);
  await expect(dialog.getByRole('link')).toHaveAttribute('href', /\/entries\/\d+/);
  // The question about several files names those that will stay.
  await page.goto(`${library}?search=badge`);
  await page.getByRole('gridcell').first().press('Space');
  await page.getByRole('toolbar', { name: 'Selected files' }).getByRole('button', { name: 'Delete' }).click();
  await expect(dialog.getByRole('status')).toContainText('It will stay, because a reviewed publication');
});

test('keys move the focus in the calendar across months', async ({ as }) => {
  const page = await as('viewer');
  await page.goto('/dashboard/calendar?date=2026-11-30');
  await page.locator('[data-day="2026-11-30"]').focus();
  await page.keyboard.press('ArrowRight');
  await expect(page.locator('[data-day="2026-12-01"]')).toBeFocused();
  await expect(page.getByRole('heading', { level: 1 })).toHaveText('December 2026');
  await page.keyboard.press('PageDown');
  await expect(page.locator('[data-day="2027-01-01"]')).toBeFocused();
  await expect(page).toHaveURL(/date=2027-01-01/);
});

test('the calendar shows schedules in the time zone of the user', async ({ as }) => {
  const page = await as('tenantAdmin');
  const posts = `/api/projects/${facts.projects.blog.id}/collections/${facts.collections.posts}/content`;
  const title = `Planned ${Date.now()}`;
  const { id } = await call(page, 'POST', posts, { fields: { title } });
  await call(page, 'POST', `${posts}/${id}/publish`, { publishAt: '2031-06-30T22:30:00Z', unpublishAt: '2031-07-02T10:00:00Z' });
  await page.goto(`/dashboard/calendar?date=2031-07-01&project=${facts.projects.blog.id}`);
  await expect(page.locator('[data-day="2031-07-01"]').getByRole('link', { name: title })).toContainText('00:30');
  await expect(page.locator('[data-day="2031-07-02"]').getByRole('link', { name: title })).toContainText('12:00');
  await call(page, 'DELETE', `${posts}/${id}`);
});

test('a publication moves to another day by dragging and by a button, and what went out is shown', async ({ as }) => {
  const page = await as('tenantAdmin');
  const posts = `/api/projects/${facts.projects.blog.id}/collections/${facts.collections.posts}/content`;
  const title = `Moved ${Date.now()}`;
  const { id } = await call(page, 'POST', posts, { fields: { title } });
  await call(page, 'POST', `${posts}/${id}/publish`, { publishAt: '2031-06-30T22:30:00Z' });
  await page.goto(`/dashboard/calendar?date=2031-07-01&project=${facts.projects.blog.id}`);
  const link = (day: string) => page.locator(`[data-day="${day}"]`).getByRole('link', { name: title });
  await link('2031-07-01').dragTo(page.locator('[data-day="2031-07-10"]'));
  const dialog = page.getByRole('dialog', { name: 'Publication times' });
  await dialog.getByRole('button', { name: 'Save the time' }).click();
  await expect(link('2031-07-10')).toContainText('00:30');
  await page.getByRole('button', { name: `Move ${title} to another time…` }).press('Enter');
  await dialog.getByRole('spinbutton', { name: /^day/ }).press('ArrowUp');
  await dialog.getByRole('button', { name: 'Save the time' }).press('Enter');
  await expect(link('2031-07-11')).toContainText('00:30');
  expect(await violations(page)).toEqual([]);

  await call(page, 'POST', `${posts}/${id}/publish`, {});
  await page.goto(`/dashboard/calendar?view=week&project=${facts.projects.blog.id}`);
  await expect(page.getByRole('gridcell').getByRole('link', { name: title })).toContainText('Went live');

  // Of a release that waits for its time, only the reviewers of the last step may change it.
  const { publishAt } = await call(page, 'GET', `/api/projects/${facts.projects.worldDesk.id}/releases/${facts.releases.scheduled}`);
  const date = new Date(publishAt).toLocaleDateString('sv-SE', { timeZone: 'Europe/Oslo' });
  for (const [role, said] of [['projectAdmin', /Only those who sent it/], ['departmentAdmin', /A time in the past/]] as const) {
    const other = await as(role);
    await other.goto(`/dashboard/calendar?view=week&date=${date}&project=${facts.projects.worldDesk.id}`);
    await other.getByRole('button', { name: 'Move The map room opens to another time…' }).press('Enter');
    await expect(other.getByRole('dialog', { name: 'Publication times' })).toContainText(said);
  }
});

test('language, theme and time zone are applied at once and kept', async ({ as }) => {
  const page = await as('viewer');
  await page.goto('/dashboard/account');
  await page.getByText('Dark', { exact: true }).click();
  await expect(page.locator('html')).toHaveAttribute('data-theme', 'dark');
  await page.getByRole('combobox', { name: 'Time zone' }).fill('kolkata');
  await page.getByRole('option', { name: /Kolkata/ }).click();
  await page.getByRole('button', { name: /Language/ }).click();
  await page.getByRole('option', { name: 'Deutsch' }).click();
  await expect(page.getByRole('heading', { level: 1 })).toHaveText('Mein Konto');
  await page.reload();
  await expect(page.locator('html')).toHaveAttribute('data-theme', 'dark');
  await expect(page.locator('html')).toHaveAttribute('lang', 'de');
  await expect(page.getByRole('combobox', { name: 'Zeitzone' })).toHaveValue('Asia/Kolkata');
  await call(page, 'PATCH', '/api/me/settings', { language: null, timeZone: null, theme: 'system' });
});

test('the overview shows the waiting requests and their steps', async ({ as }) => {
  const page = await as('projectAdmin');
  await page.goto(`/dashboard/projects/${facts.projects.worldDesk.id}`);
  await expect(page.getByText(/requests? waits?, the longest at/)).toBeVisible();
  await expect(page.getByRole('heading', { name: 'Legal' })).toBeVisible();
  await page.getByText('7 days', { exact: true }).click();
  await expect(page).toHaveURL(/days=7/);
  await page.getByText('Show as a table').click();
  await expect(page.getByRole('table').filter({ hasText: 'Day' }).getByRole('row')).toHaveCount(8);
});

test('the navigation marks the section of the page', async ({ as }) => {
  const page = await as('superAdmin');
  const main = page.getByRole('navigation', { name: 'Main' });
  await page.goto(`${articles.page}/definition`);
  await expect(main.locator('[aria-current]')).toHaveText(['Collections']);
  await page.goto(articles.page);
  await expect(main.locator('[aria-current]')).toHaveText(['Articles']);
  for (const path of ['/dashboard/no/such/page', '/dashboard/projects/x', articles.entry(99_999_999)]) {
    await page.goto(path);
    await expect(page.getByRole('heading', { name: 'Page not found' })).toBeVisible();
    await expect(main.getByRole('link', { name: 'Inbox' })).toBeVisible();
  }
  await page.goto(`${articles.page}?locale=xx`);
  await expect(page.getByText('unknown locale "xx"')).toBeVisible();
  await expect(page.getByText('Counting')).toBeHidden();
});

test('a page that the user may not see does not exist', async ({ as }) => {
  const page = await as('outsider');
  for (const path of [articles.page, articles.entry(1), `${articles.entry(1)}/history`]) {
    await page.goto(path);
    await expect(page.getByRole('heading', { name: 'Page not found' })).toBeVisible();
  }
});

test('a waiting step names its deciders', async ({ as }) => {
  const page = await as('editor');
  await page.goto(articles.review(await submitted(page, `Whom to ask ${Date.now()}`)));
  const steps = page.getByRole('complementary').getByRole('listitem');
  await expect(steps.filter({ hasText: 'Desk editor' })).toContainText('Paul Lindqvist');
  await expect(steps.filter({ hasText: 'Legal' })).toContainText('Leila Tanaka');
  // An editor may not see the admins of the department.
  await expect(steps.filter({ hasText: 'Head of the newsroom' })).not.toContainText('Dina Haddad');
});

test('faults are shown in the language of the user', async ({ as }) => {
  const page = await as('superAdmin', { locale: 'de-DE' });
  await page.goto(`/dashboard/projects/${facts.projects.worldDesk.id}/settings`);
  await page.getByLabel('Name').fill('');
  await page.getByRole('button', { name: 'Speichern' }).click();
  await expect(page.getByText('darf nicht leer sein')).toBeVisible();
  await page.goto(`/dashboard/projects/${facts.projects.worldDesk.id}/collections/${facts.collections.countries}/definition`);
  await page.getByRole('button', { name: 'Sammlung löschen' }).click();
  await page.getByRole('dialog').getByRole('textbox').fill('Countries');
  await page.getByRole('dialog').getByRole('button', { name: 'Sammlung löschen' }).click();
  await expect(page.getByRole('alert')).toContainText('articles.country verweist auf die Sammlung.');
});

test('without a network a link says that the page cannot be loaded', async ({ as }) => {
  const page = await as('editor');
  await page.goto('/dashboard/inbox');
  await expect(page.getByRole('heading', { level: 1 })).toBeVisible();
  await page.context().setOffline(true);
  await page.getByRole('link', { name: 'Calendar' }).click();
  await expect(page.getByText('No connection to the server.').first()).toBeVisible();
});

test('the list of keys has those of the page and those of every control', async ({ as }) => {
  const page = await as('editor');
  await page.goto('/dashboard/inbox');
  await expect(page.getByRole('heading', { level: 1 })).toBeVisible();
  const dialog = page.getByRole('dialog', { name: 'Keyboard shortcuts' });
  await expect(async () => {
    if (!(await dialog.isVisible())) await page.keyboard.press('?'); // shortcuts work a moment after the page is shown
    await expect(dialog).toBeVisible({ timeout: 2_000 });
  }).toPass();
  const keys = (label: string) => dialog.locator('div', { has: page.getByText(label, { exact: true }) }).locator('kbd').allTextContents();
  await expect(dialog).toBeVisible();
  for (const [label, want] of Object.entries({
    'Move a block, a row or a tag': ['Alt', '↑', '↓'],
    'Select a range in a list': ['Shift', '↑', '↓'],
    'Undo the last change of the entry': ['Ctrl', 'Z'],
    'Next request': ['J'],
    'Close what is in front': ['Esc'],
  })) {
    expect.soft((await keys(label)).slice(-want.length), label).toEqual(want);
  }
  await page.keyboard.press('Escape');
  await expect(dialog).toBeHidden();
});
