import type { Page } from '@playwright/test';
import { articles, call, expect, facts, test } from './fixtures';

const saved = (page: Page) => expect(page.getByText(/^Saved \d/)).toBeVisible();
const summary = (page: Page) => page.getByRole('textbox', { name: 'Summary' });

async function draft(page: Page, title: string) {
  const { id } = await call(page, 'POST', articles.api, { fields: { title: `${title} ${Date.now()}` } });
  await page.goto(articles.entry(id));
  await expect(summary(page)).toBeVisible();
  return id as number;
}

const stored = async (page: Page, id: number) => (await call(page, 'GET', `${articles.api}/${id}`)).fields;

test('a conflict between two editors is resolved by choice, and nothing is lost', async ({ as }) => {
  const [one, other] = [await as('editor'), await as('projectAdmin')];
  const id = await draft(one, 'Two editors');
  await other.goto(articles.entry(id));
  await expect(summary(other)).toBeVisible();

  await summary(one).fill('The first version.');
  await one.getByRole('spinbutton', { name: 'Views' }).or(one.getByRole('textbox', { name: 'Views' })).fill('7');
  await saved(one);
  await summary(other).fill('The second version.');
  // The question waits beside the page, and the focus stays where the user types.
  const question = other.getByRole('region', { name: 'Two versions of the same text' });
  await expect(question).toContainText('Summary');
  await expect(summary(other)).toBeFocused();
  await other.keyboard.press('End');
  await other.keyboard.type(' And more.');
  await other.keyboard.press('Control+s');
  const dialog = other.getByRole('dialog', { name: 'Two versions of the same text' });
  await expect(dialog).toContainText('The first version.');
  await expect(dialog).toContainText('The second version. And more.');
  await expect(dialog).toContainText('Emil Santos saved');
  await dialog.getByRole('button', { name: 'All yours' }).click();
  await dialog.getByRole('button', { name: 'Save the choice' }).click();
  await saved(other);
  await expect(summary(other)).toBeFocused();
  expect(await stored(one, id)).toMatchObject({ summary: 'The second version. And more.', views: 7 });
});

/** How often two people type a sentence. With ROUNDS=45 they type for a minute. */
const rounds = Number(process.env.ROUNDS ?? 1);

test('two people type into one text while a session ends, and every character is kept', async ({ as }) => {
  const [one, other] = [await as('editor', { ownSession: true }), await as('projectAdmin')];
  const { id } = await call(one, 'POST', articles.api, { fields: { title: `Two writers ${Date.now()}`, body: '<p>The first paragraph.</p><p>The second paragraph.</p><p>The last one.</p>' } });
  const body = (page: Page) => page.getByRole('textbox', { name: 'Body' });
  for (const page of [one, other]) await page.goto(articles.entry(id));
  await body(one).getByText('The first paragraph.').click();
  await one.keyboard.press('End');
  await body(other).getByText('The last one.').click();
  await other.keyboard.press('End');
  const type = (page: Page, text: string) => page.keyboard.type(text, { delay: 40 });
  const [ones, others] = [' One writes on without a pause.'.repeat(rounds), ' Other writes on without a pause.'.repeat(rounds)];
  await Promise.all([type(one, ones), type(other, others)]);
  await Promise.all([saved(one), saved(other)]);
  // The page of one learns of the other text with its next save.
  await type(one, ' Done.');
  await saved(one);
  await expect.poll(async () => (await stored(one, id)).body).toBe(
    `<p>The first paragraph.${ones} Done.</p><p>The second paragraph.</p><p>The last one.${others}</p>`,
  );
  // Both change one paragraph, and the session of one ends meanwhile.
  await other.reload();
  await body(other).getByText('The second paragraph.').click();
  await other.keyboard.press('End');
  await type(other, ' Theirs.');
  await saved(other);
  await call(await as('editor', { ownSession: true }), 'DELETE', '/api/me/sessions');
  await body(one).getByText('The second paragraph.').click();
  await one.keyboard.press('End');
  await type(one, ' Mine goes on while the session ends.');
  await expect(one.getByRole('region', { name: 'Sign in again' })).toBeVisible();
  await expect(body(one)).toBeFocused();
  await type(one, ' Nor this.');
  await one.keyboard.press('Control+s');
  const signIn = one.getByRole('dialog', { name: 'Sign in again' });
  await expect(signIn.getByLabel('Password')).toBeFocused();
  await one.keyboard.type(facts.users.editor.password);
  await one.keyboard.press('Enter');
  await expect(body(one)).toBeFocused();
  await expect(one.getByRole('region', { name: 'Two versions of the same text' })).toBeVisible();
  await type(one, ' Nor that.');
  await one.keyboard.press('Control+s');
  const dialog = one.getByRole('dialog', { name: 'Two versions of the same text' });
  const mine = 'The second paragraph. Mine goes on while the session ends. Nor this. Nor that.';
  await expect(dialog).toContainText(mine);
  await expect(dialog).toContainText('Theirs.');
  await dialog.getByRole('radio', { name: 'Both, yours first' }).check();
  await dialog.getByRole('button', { name: 'Save the choice' }).click();
  await saved(one);
  expect((await stored(one, id)).body).toContain(`<p>${mine}</p><p>The second paragraph. Theirs.</p><p>The last one. Other`);
});

test('an entry stays editable if the translation beside it was deleted', async ({ as }) => {
  const page = await as('editor');
  const id = await draft(page, 'Beside');
  const other = await call(page, 'POST', articles.api, { locale: 'de', translationOf: id, fields: { title: `Daneben ${Date.now()}`, summary: 'Auf Deutsch.' } });
  await page.goto(`${articles.entry(id)}?beside=de`);
  await expect(page.getByRole('region', { name: 'Summary, German' })).toHaveText('Auf Deutsch.');
  await call(page, 'DELETE', `${articles.api}/${other.id}`);
  await page.reload();
  await expect(page.getByText('There is no version in German to show beside this one.')).toBeVisible();
  await summary(page).fill('Written alone.');
  await saved(page);
  expect((await stored(page, id)).summary).toBe('Written alone.');
});

test('changes survive the end of the session', async ({ as }) => {
  const page = await as('editor');
  const id = await draft(page, 'Session');
  const elsewhere = await as('editor', { ownSession: true });
  await call(elsewhere, 'DELETE', '/api/me/sessions');
  await summary(page).fill('Typed after the session had ended.');
  await page.getByRole('button', { name: 'Sign in again' }).click();
  const dialog = page.getByRole('dialog', { name: 'Sign in again' });
  await dialog.getByLabel('Password').fill(facts.users.editor.password);
  await dialog.getByRole('button', { name: 'Sign in' }).click();
  await saved(page);
  await expect(summary(page)).toHaveValue('Typed after the session had ended.');
  expect((await stored(page, id)).summary).toBe('Typed after the session had ended.');
});

test('changes survive a network failure', async ({ as }) => {
  const page = await as('editor');
  const id = await draft(page, 'Network');
  await page.context().setOffline(true);
  await summary(page).fill('Typed without a network.');
  await expect(page.getByText('Offline: kept on this device')).toBeVisible();
  await page.context().setOffline(false);
  await saved(page);
  expect((await stored(page, id)).summary).toBe('Typed without a network.');
});

test('without a network, sending to the review says that nothing was sent', async ({ as }) => {
  const page = await as('editor', { viewport: { width: 390, height: 844 } });
  const id = await draft(page, 'Not sent');
  const told = page.getByRole('status').filter({ hasText: 'Nothing was sent: no connection to the server.' });
  await page.context().setOffline(true);
  for (const unsaved of [false, true]) {
    if (unsaved) await summary(page).fill('Typed and not saved.');
    await page.getByRole('button', { name: 'Send to review' }).first().click();
    await expect(told).toBeInViewport();
    await told.getByRole('button', { name: 'Close' }).click();
  }
  await page.context().setOffline(false);
  await saved(page);
  expect(await call(page, 'GET', `${articles.api}/${id}`)).toMatchObject({ approval: null, fields: { summary: 'Typed and not saved.' } });
});

test('changes survive a killed tab', async ({ as }) => {
  const page = await as('editor');
  const id = await draft(page, 'Tab');
  await page.context().setOffline(true);
  await summary(page).fill('Typed in a tab that was killed.');
  await page.waitForTimeout(200); // long before a save
  const context = page.context();
  await page.close({ runBeforeUnload: false });
  await context.setOffline(false);

  const again = await context.newPage();
  await again.goto(facts.baseUrl + articles.entry(id));
  await expect(summary(again)).toHaveValue('Typed in a tab that was killed.');
  expect((await stored(again, id)).summary ?? null).toBeNull();
  await again.getByRole('button', { name: 'Keep them' }).click();
  await expect(again.locator('[data-field] :focus')).toBeVisible();
  await saved(again);
  expect((await stored(again, id)).summary).toBe('Typed in a tab that was killed.');
});
