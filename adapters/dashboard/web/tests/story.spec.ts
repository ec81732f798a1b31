import type { Page } from '@playwright/test';
import type { Schemas } from '../src/api/client';
import * as german from '../src/texts/de';
import * as english from '../src/texts/en';
import { articles, call, expect, facts, graphql, submitted, test, type Role } from './fixtures';

const byTitle = '{ entries(collection: "articles", where: [{field: "title", value: "%"}]) { items { data } } }';

/** The notices of the user of a page about an entry, the newest first. */
async function noticesOf(page: Page, title: string): Promise<Schemas['Notice'][]> {
  const { data } = await call(page, 'GET', '/api/me/notices?perPage=100');
  return data.filter((notice: Schemas['Notice']) => notice.title === title);
}

/** Waits for a notice, which comes a moment after the event. */
const told = (page: Page, kind: string, title: string) => expect.poll(async () => (await noticesOf(page, title)).map((notice) => notice.kind)).toContain(kind);

/** The mails about a title that the demo has caught, the newest first. */
async function mailsOf(page: Page, title: string): Promise<{ path: string; text: string }[]> {
  const list = await (await page.request.get('/demo/mail')).text();
  const found = [...list.matchAll(/<li><a href="([^"]+)">([^<]*)<\/a><span>to .*?&lt;(.+?)&gt;/g)];
  return found.filter(([, , subject]) => subject!.includes(title)).map(([, path, subject, to]) => ({ path: path!, text: `${subject} to ${to}` }));
}

/** Waits for all mails about a title. */
const mailed = (page: Page, title: string, mails: string[]) => expect.poll(async () => (await mailsOf(page, title)).map((mail) => mail.text)).toEqual(mails);

test('an editor writes, three reviewers decide, and readers see it', { tag: '@firefox' }, async ({ as }) => {
  const title = `The harbour reopens ${Date.now()}`;
  const editor = await as('editor');
  await editor.goto(`${articles.page}/new`);
  await expect(editor.getByRole('textbox', { name: 'Title' })).toBeFocused();
  await editor.keyboard.type(title);
  await editor.getByRole('textbox', { name: 'Summary' }).fill('Ferries leave every hour again.');
  await editor.getByRole('combobox', { name: 'Country' }).fill('Norw');
  await editor.getByRole('option', { name: /^Norway/ }).click();
  await expect(editor.getByRole('link', { name: 'Open Norway' })).toBeFocused();
  await editor.getByRole('textbox', { name: 'Body' }).click();
  await editor.keyboard.type('The first boat left at dawn.');
  await expect(editor.getByText(/^Saved \d/)).toBeVisible();
  await editor.waitForURL(/entries\/\d+/);

  await editor.getByRole('button', { name: 'Send to review' }).click();
  await expect(editor.getByRole('link', { name: 'Open the review' })).toBeVisible();
  const read = async () => (await graphql(editor, byTitle.replace('%', title))).entries.items;
  expect(await read()).toEqual([]);

  const mails: string[] = [];
  for (const role of ['projectAdmin', 'legal', 'departmentAdmin'] satisfies Role[]) {
    const reviewer = await as(role);
    await told(reviewer, 'your_turn', title);
    mails.unshift(`Your review: ${title} to ${facts.users[role].email}`);
    await mailed(reviewer, title, mails);
    if (role === 'projectAdmin') {
      const mail = await (await reviewer.request.get((await mailsOf(reviewer, title))[0]!.path)).text();
      await reviewer.goto(/https?:\S+\/review\/[\d/]+/.exec(mail)![0]);
    } else {
      await reviewer.goto('/dashboard/inbox');
      await reviewer.getByRole('button', { name: /^Notices, \d+\+? unread/ }).press('Enter');
      await reviewer.getByRole('dialog', { name: 'Notices' }).getByRole('link', { name: title }).click();
      await expect(reviewer.getByRole('dialog')).toBeHidden();
      await expect.poll(async () => (await noticesOf(reviewer, title))[0]!.readAt).not.toBeNull();
    }
    await expect(reviewer.getByText('The first boat left at dawn.')).toBeVisible();
    expect(await read()).toEqual([]);
    await reviewer.getByRole('button', { name: /^Approve/ }).click();
    await expect(reviewer.getByText(/^Approved\./)).toBeVisible();
  }
  const [entry] = await read();
  expect(entry.data).toMatchObject({ title, summary: 'Ferries leave every hour again.', body: '<p>The first boat left at dawn.</p>' });

  await told(editor, 'published', title);
  await editor.bringToFront(); // in Firefox, only the window in front has the focus
  await editor.reload();
  const bell = editor.getByRole('button', { name: /^Notices, \d+\+? unread/ });
  await bell.press('Enter');
  await expect(editor.getByRole('link', { name: `${title} was published` })).toBeVisible();
  await editor.keyboard.press('Escape');
  await expect(bell).toBeFocused();
  for (const role of ['viewer', 'tenantAdmin'] satisfies Role[]) expect(await noticesOf(await as(role), title)).toEqual([]);
});

test('from sign-in to decision by keyboard alone', { tag: '@firefox' }, async ({ as, browser }) => {
  const title = `Written for the keyboard ${Date.now()}`;
  const id = await submitted(await as('editor'), title);
  const context = await browser.newContext({ baseURL: facts.baseUrl });
  const page = await context.newPage();
  await page.goto('/dashboard/inbox?sort=newest');
  await page.waitForURL(/sign-in/);
  await expect(page.getByLabel('E-mail')).toBeFocused();
  await page.keyboard.type(facts.users.projectAdmin.email);
  await page.keyboard.press('Tab');
  await page.keyboard.type(facts.users.projectAdmin.password);
  await page.keyboard.press('Enter');
  await expect(page.getByRole('link', { name: title })).toBeVisible();
  expect(new URL(page.url()).search).toBe('?sort=newest');
  await page.waitForLoadState('networkidle'); // shortcuts work once the page is idle
  await page.keyboard.press('j');
  await expect(page.getByRole('link', { name: title })).toBeFocused();
  await page.keyboard.press('Enter');
  await page.waitForURL(new RegExp(`${articles.review(id)}\\b`));
  await expect(page.getByRole('button', { name: /^Approve/ })).toBeVisible();
  await page.keyboard.press('a');
  await expect(page.getByRole('button', { name: /^Approve/ })).toBeFocused();
  await page.keyboard.press('Enter');
  await expect(page.getByText(/^Approved\./)).toBeVisible();
  await context.close();
});

test('a decision that lost a race shows the current state', { tag: '@firefox' }, async ({ as }) => {
  const id = await submitted(await as('editor'), `Two reviewers at once ${Date.now()}`);
  const [first, second] = [await as('projectAdmin'), await as('tenantAdmin')];
  for (const page of [first, second]) {
    await page.goto(articles.review(id));
    await expect(page.getByRole('button', { name: /^Approve/ })).toBeVisible();
  }
  await first.getByRole('button', { name: /^Approve/ }).click();
  await expect(first.getByText(/^Approved\./)).toBeVisible();
  await second.getByRole('button', { name: /^Reject/ }).click();
  await second.getByRole('textbox', { name: /^Why/ }).fill('Not enough sources.');
  await second.getByRole('button', { name: /^Reject/ }).click();
  await expect(second.getByRole('alert')).toContainText('Paul Lindqvist');
  await expect(second.getByRole('alert')).toContainText('Not enough sources.');
  await expect(second.locator(':focus').getByRole('alert')).toBeVisible();
  await expect(second.getByText('Legal').first()).toBeVisible();
});

for (const [locale, texts] of Object.entries({ 'en-GB': english, 'de-DE': german })) {
  test(`an entry comes back with its reason, and the reviewer sees what has changed since, ${locale}`, async ({ as }) => {
    const title = `Sources ${Date.now()}`;
    const { editor: t, review } = texts;
    const editor = await as('editor', { locale });
    const id = await submitted(editor, title);
    const reviewer = await as('projectAdmin', { locale });
    await call(reviewer, 'POST', `${articles.api}/${id}/approval/request-revision`, { comment: 'Which source says so?' });

    await told(editor, 'revision_requested', title);
    // The browser's language is no setting of the user, so mails are in English.
    await expect.poll(async () => (await mailsOf(editor, title))[0]?.text).toBe(`Revision requested: ${title} to ${facts.users.editor.email}`);
    await editor.goto('/dashboard/inbox?tab=returned');
    await editor.getByRole('button', { name: new RegExp(`^${texts.common.bell.notices}, `) }).press('Enter');
    await expect(editor.getByRole('dialog').getByRole('link', { name: title }).filter({ hasText: 'Which source says so?' })).toBeVisible();
    await editor.keyboard.press('Escape');
    await expect(editor.getByText('Which source says so?').first()).toBeVisible();
    await editor.goto(articles.entry(id));
    await expect(editor.getByText(t.sentback.sentBack('Paul Lindqvist', 'Desk editor'))).toBeVisible();
    await expect(editor.getByText('Which source says so?')).toBeVisible();
    await editor.getByRole('textbox', { name: 'Summary' }).fill('A summary, says the harbour office.');
    await editor.getByRole('textbox', { name: t.outcome.note }).fill('The harbour office says so.');
    await expect(editor.getByText(new RegExp(`^${t.savestatus.saved('')}\\d`))).toBeVisible();
    await editor.getByRole('button', { name: t.mainbutton.send }).press('Enter');
    await expect(editor.getByRole('link', { name: t.mainbutton.review })).toBeFocused();
    await expect(editor.getByText('Which source says so?')).toBeHidden();

    await reviewer.goto(articles.review(id));
    const { mine, public: published } = review.review.comparisons;
    await expect(reviewer.getByRole('link', { name: new RegExp(`^${mine('').replace(/ *\(\)/, '')}`) })).toHaveAttribute('aria-current', 'true');
    await expect(reviewer.getByRole('article').getByText('says the harbour office', { exact: false }).first()).toBeVisible();
    await expect(reviewer.getByRole('article').getByRole('region', { name: 'Summary' })).toBeVisible();
    await expect(reviewer.getByText('The harbour office says so.')).toBeVisible();
    await reviewer.getByRole('link', { name: published }).press('Enter');
    await expect(reviewer.getByText(review.changes.first)).toBeVisible();

    // The editor withdraws it again, with a word that the record keeps.
    await editor.getByRole('button', { name: texts.common.withdraw.withdraw }).press('Enter');
    const dialog = editor.getByRole('dialog', { name: texts.common.withdraw.title });
    await dialog.getByRole('textbox').fill('Not yet.');
    await dialog.getByRole('button', { name: texts.common.withdraw.withdraw }).press('Enter');
    await expect(editor.getByRole('button', { name: t.mainbutton.send })).toBeFocused();
    expect((await call(editor, 'GET', `${articles.api}/${id}/approval`)).actions.at(-1)).toMatchObject({ type: 'withdraw', comment: 'Not yet.' });
  });
}
