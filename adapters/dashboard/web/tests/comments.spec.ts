import type { Locator, Page } from '@playwright/test';
import { violations } from './axe';
import { articles, call, expect, facts, submitted, test } from './fixtures';

/** Selects a passage of the text of an element, as a user does with the mouse. */
async function select(page: Page, selector: string, words: string) {
  await page.locator(selector).evaluate((element, text) => {
    const walker = document.createTreeWalker(element, NodeFilter.SHOW_TEXT);
    for (let node = walker.nextNode(); node; node = walker.nextNode()) {
      const at = (node as Text).data.indexOf(text);
      if (at >= 0) return void document.getSelection()!.setBaseAndExtent(node, at, node, at + text.length);
    }
    throw new Error(`no ${text}`);
  }, words);
}

const card = (page: Page | Locator, text: string) => page.locator('[data-comment]').filter({ hasText: text });
const comment = (page: Page) => page.locator('[data-composer]').getByRole('textbox', { name: 'Comment' });

test('comments by keyboard: on a passage, a must, next and previous, resolved', async ({ as }) => {
  const author = await as('editor');
  const stamp = Date.now();
  const id = await submitted(author, `Rain in May, rain in June ${stamp}`);
  const page = await as('projectAdmin');
  await page.goto(articles.review(id));
  const panel = page.getByRole('region', { name: 'Comments' });
  await expect(panel).toBeVisible();

  // On what is selected, and it must be resolved before the step approves.
  await select(page, '[data-name=title]', 'rain in June');
  await page.keyboard.press('c');
  await expect(comment(page)).toBeFocused();
  await page.keyboard.type('Which June?');
  await expect(page.locator('[data-composer]')).toContainText('rain in June');
  expect(await violations(page)).toEqual([]);
  await page.getByText('Must be resolved before').click();
  await comment(page).press('Control+Enter');
  const first = card(page, 'Which June?');
  await expect(first).toBeFocused();
  await expect(first).toContainText('Must');
  const approve = page.getByRole('button', { name: /^Approve/ });
  await expect(approve).toBeDisabled();
  await expect(page.getByText('After one comment that must be resolved.')).toBeVisible();

  // A single key is a letter in a field.
  await page.keyboard.press('c');
  await expect(comment(page)).toBeFocused();
  await page.keyboard.type('nope, cep');
  await comment(page).press('Control+Enter');
  await expect(card(page, 'nope, cep')).toBeFocused();
  await page.keyboard.press('p');
  await page.keyboard.press('p');
  await expect(page.locator('[data-comment]').first()).toBeFocused();
  await page.keyboard.press('n');
  await expect(page.locator('[data-comment]').nth(1)).toBeFocused();
  expect(await violations(page)).toEqual([]);

  await first.focus();
  await page.keyboard.press('e');
  await expect(first).toHaveCount(0);
  await page.getByText('Show 1 resolved').click();
  await expect(first).toContainText('Resolved by');
  await expect(approve).toBeEnabled();
  const { data } = await call(page, 'GET', `${articles.api}/${id}/approval/comments`);
  expect(data[0]).toMatchObject({ field: 'title', quote: { text: 'rain in June', occurrence: 1 }, must: 1, state: 'resolved' });
});

test('single keys can be switched off', async ({ as }) => {
  const author = await as('editor');
  const id = await submitted(author, `Quiet ${Date.now()}`);
  const page = await as('projectAdmin');
  await page.goto(articles.review(id));
  await expect(page.getByRole('region', { name: 'Comments' })).toBeVisible();
  const composer = page.locator('[data-composer]');
  await page.keyboard.press('c');
  await expect(composer).toBeVisible();
  await page.keyboard.press('Escape');
  await expect(composer).toHaveCount(0);
  await page.keyboard.press('?');
  const dialog = page.getByRole('dialog', { name: 'Keyboard shortcuts' });
  await dialog.getByRole('button', { name: 'Switch single keys off' }).click();
  await expect(dialog.getByRole('button', { name: 'Switch single keys on' })).toBeVisible();
  await page.keyboard.press('Escape');
  await expect(dialog).toBeHidden();
  await page.keyboard.press('c');
  await page.keyboard.press('?');
  await expect(dialog).toBeVisible();
  await expect(composer).toHaveCount(0);
  await dialog.getByRole('button', { name: 'Switch single keys on' }).click();
  await page.keyboard.press('Escape');
  await expect(dialog).toBeHidden();
  await page.keyboard.press('c');
  await expect(composer).toBeVisible();
});

test('two people talk: a name is picked, the other one answers, edits and deletes', async ({ as }) => {
  const author = await as('editor');
  const id = await submitted(author, `A harbour ${Date.now()}`);
  const [viewer, admin] = [await as('viewer'), await as('projectAdmin')];
  await viewer.goto(articles.review(id));
  await viewer.getByRole('region', { name: 'Comments' }).getByRole('button', { name: /^Comment/ }).click();
  await expect(comment(viewer)).toBeFocused();
  const { data: people } = await call(viewer, 'GET', `${articles.api}/${id}/approval/people`);
  const named = people.find((p: { name: string }) => /^[A-Z]/.test(p.name)).name as string;
  await viewer.keyboard.type(`Is it open? @${named.slice(0, 4)}`);
  await expect(viewer.getByRole('listbox', { name: 'People' })).toBeVisible();
  expect(await violations(viewer)).toEqual([]);
  await viewer.keyboard.press('Enter');
  await expect(comment(viewer)).toHaveValue(/Is it open\? @\S/);
  await comment(viewer).press('Control+Enter');
  await expect(card(viewer, 'Is it open?')).toContainText('@');
  const stored = (await call(viewer, 'GET', `${articles.api}/${id}/approval/comments`)).data[0];
  expect(stored.text).toMatch(/^Is it open\? @\[\d+\]$/);
  expect(stored.mentions).toHaveLength(1);

  await admin.goto(articles.review(id));
  const seen = card(admin, 'Is it open?');
  await seen.getByRole('button', { name: 'Reply' }).click();
  await admin.keyboard.type('It is.');
  await admin.keyboard.press('Control+Enter');
  await expect(seen).toContainText('It is.');
  await seen.getByRole('button', { name: 'Edit' }).click();
  await seen.getByRole('textbox', { name: 'Edit' }).fill('It is closed.');
  await admin.keyboard.press('Control+Enter');
  await expect(seen).toContainText('It is closed. (edited)');
  await viewer.reload();
  await expect(card(viewer, 'Is it open?')).toContainText('It is closed.');
  await seen.getByRole('button', { name: 'Delete' }).click();
  await expect(seen).toContainText('Deleted');
});

test('a suggestion goes into the draft, or says that its passage is gone', async ({ as }) => {
  const author = await as('editor');
  const id = await submitted(author, `Rain in May ${Date.now()}`);
  const admin = await as('projectAdmin');
  await admin.goto(articles.review(id));
  await expect(admin.getByRole('region', { name: 'Comments' })).toBeVisible(); // the page takes keys then
  await select(admin, '[data-name=summary]', 'A summary');
  await admin.keyboard.press('c');
  await expect(comment(admin)).toBeFocused();
  await admin.keyboard.type('Better?');
  await admin.getByText('Suggest other words').click();
  await admin.getByRole('textbox', { name: 'Instead' }).fill('In short');
  await admin.locator('[data-composer]').getByRole('button', { name: /^Comment/ }).click();
  await expect(card(admin, 'Better?')).toContainText('In short');

  await author.goto(articles.entry(id));
  const summary = author.getByRole('textbox', { name: 'Summary' });
  await expect(summary).toHaveValue('A summary.');
  const there = card(author, 'Better?');
  await there.getByRole('button', { name: 'Apply to the draft' }).click();
  await expect(summary).toHaveValue('In short.');
  await expect(author.getByText('The draft has the suggested words now.').first()).toBeVisible();
  expect(await violations(author)).toEqual([]);
  await there.getByRole('button', { name: 'Apply to the draft' }).click();
  await expect(author.getByText('The draft does not have this passage any more.').first()).toBeVisible();
  await expect(summary).toHaveValue('In short.');
  await expect(author.getByText(/^Saved \d/)).toBeVisible();
  expect((await call(author, 'GET', `${articles.api}/${id}`)).fields.summary).toBe('In short.');
  expect((await call(author, 'GET', `${articles.api}/${id}/approval`)).snapshot.fields.summary).toBe('A summary.');
});

test('a decision brings comments, and the inbox counts and filters them', async ({ as }) => {
  const author = await as('editor');
  const stamp = Date.now();
  const id = await submitted(author, `With words ${stamp}`);
  await submitted(author, `Without words ${stamp}`);
  const admin = await as('projectAdmin');
  await call(admin, 'POST', `${articles.api}/${id}/approval/comments`, { text: 'First' });
  await admin.goto('/dashboard/inbox?sort=newest');
  const row = admin.getByRole('link', { name: new RegExp(`With words ${stamp}`) });
  await expect(row).toContainText('1 open comment');
  await expect(admin.getByRole('link', { name: new RegExp(`Without words ${stamp}`) })).toBeVisible();
  await admin.getByRole('button', { name: 'With open comments' }).click();
  await expect(admin.getByRole('link', { name: new RegExp(`Without words ${stamp}`) })).toHaveCount(0);
  await expect(row).toBeVisible();
  expect(await violations(admin)).toEqual([]);

  await row.click();
  await expect(card(admin, 'First')).toBeVisible();
  await admin.keyboard.press('c');
  await admin.keyboard.type('Second');
  await admin.locator('[data-composer]').getByRole('button', { name: 'With the decision' }).click();
  await expect(admin.getByRole('list', { name: 'With the decision' })).toContainText('Second');
  expect((await call(admin, 'GET', `${articles.api}/${id}/approval/comments`)).data).toHaveLength(1);
  await admin.getByRole('button', { name: /^Approve/ }).click();
  await expect(admin.getByText(/Approved/).first()).toBeVisible();
  const { data } = await call(admin, 'GET', `${articles.api}/${id}/approval/comments`);
  expect(data.map((c: { text: string }) => c.text)).toEqual(['First', 'Second']);
});

test('a comment that is not sent stays with its request, and a decision asks what becomes of it', async ({ as }) => {
  const author = await as('editor');
  const stamp = Date.now();
  const [kept, sent] = [await submitted(author, `Kept words ${stamp}`), await submitted(author, `Sent words ${stamp}`)];
  const page = await as('projectAdmin');
  const asked = page.getByRole('group', { name: 'You have written a comment that is not sent:' });
  const write = async (id: number, text: string) => {
    await page.goto(articles.review(id));
    await expect(page.getByRole('region', { name: 'Comments' })).toBeVisible();
    await page.keyboard.press('c');
    await expect(comment(page)).toBeFocused();
    await page.keyboard.type(text);
    await page.getByRole('button', { name: /^Approve/ }).click();
    await expect(asked).toContainText(text);
  };
  await write(kept, 'Not yet said');
  expect(await violations(page)).toEqual([]);
  await asked.getByRole('button', { name: 'Cancel' }).click();
  await expect(comment(page)).toHaveValue('Not yet said');
  await page.getByRole('button', { name: /^Approve/ }).click();
  await asked.getByRole('button', { name: 'Keep it, and decide without it' }).click();
  // The next request begins without the box.
  await expect(page.getByText(/^Approved/).first()).toBeVisible();
  await expect(page).not.toHaveURL(new RegExp(`${articles.review(kept)}`));
  await expect(page.locator('article').first()).toBeFocused();
  await expect(page.locator('[data-composer]')).toHaveCount(0);
  await page.goto(articles.review(kept));
  await expect(page.getByText('Not yet said')).toBeVisible();
  expect((await call(page, 'GET', `${articles.api}/${kept}/approval/comments`)).data).toEqual([]);

  await write(sent, 'Said with it');
  await asked.getByRole('button', { name: 'Send it with the decision' }).click();
  await expect(page.getByText(/^Approved/).first()).toBeVisible();
  const { data } = await call(page, 'GET', `${articles.api}/${sent}/approval/comments`);
  expect(data.map((c: { text: string }) => c.text)).toEqual(['Said with it']);
});

test('replies, changes of comments and reasons outlive the page', async ({ as }) => {
  const author = await as('editor');
  const id = await submitted(author, `Begun words ${Date.now()}`);
  const page = await as('projectAdmin');
  await call(page, 'POST', `${articles.api}/${id}/approval/comments`, { text: 'First' });
  await page.goto(articles.review(id));
  await card(page, 'First').getByRole('button', { name: 'Reply' }).click();
  await page.keyboard.type('Half a reply');
  await card(page, 'First').getByRole('button', { name: 'Edit' }).click();
  await page.keyboard.press('End');
  await page.keyboard.type(' and more');
  await page.getByRole('button', { name: 'Request revision' }).click();
  await page.locator('[data-decision] textarea').fill('Half a reason');
  await page.reload();
  await expect(page.getByRole('textbox', { name: 'Reply' })).toHaveValue('Half a reply');
  await expect(page.getByRole('textbox', { name: 'Edit' })).toHaveValue('First and more');
  await expect(page.locator('[data-decision] textarea')).toHaveValue('Half a reason');
});

test('comments are text: markup, marks of direction and very long words change nothing around them', async ({ as }) => {
  const author = await as('editor');
  const id = await submitted(author, `Plain ${Date.now()}`);
  const admin = await as('projectAdmin', { viewport: { width: 390, height: 844 } });
  const hostile = ['<img src=x onerror=alert(1)><script>alert(2)</script>', '\u202e\u2066evil\u2069 txt.exe', 'x'.repeat(3000), 'javascript:alert(3) [a](javascript:alert(4)) {{7*7}} ${7*7}'];
  for (const text of hostile) await call(admin, 'POST', `${articles.api}/${id}/approval/comments`, { text, field: 'title', quote: { text: 'Plain', occurrence: 1 }, replace: text });
  for (const path of [articles.review(id), articles.entry(id)]) {
    await admin.goto(path);
    for (const text of hostile) await expect(card(admin, text)).toBeVisible();
    await expect(card(admin, hostile[0]!).locator('img, script')).toHaveCount(0);
    await expect(card(admin, hostile[1]!).locator('p[dir=auto]').last()).toHaveCSS('unicode-bidi', /isolate/);
    expect(await admin.evaluate(() => document.documentElement.scrollWidth)).toBeLessThanOrEqual(390);
    expect(await violations(admin)).toEqual([]);
  }
});

test('comments of an ended request are readable, and nothing can be written', async ({ as }) => {
  const author = await as('editor');
  const id = await submitted(author, `Over ${Date.now()}`);
  const admin = await as('projectAdmin');
  await call(admin, 'POST', `${articles.api}/${id}/approval/reject`, { comments: [{ text: 'Too late' }] });
  await author.goto(articles.review(id));
  await expect(card(author, 'Too late')).toBeVisible();
  await expect(author.getByRole('region', { name: 'Comments' }).getByRole('button')).toHaveCount(0);
  await expect(card(author, 'Too late').getByRole('button')).toHaveCount(0);
});

test('a release is talked about as a whole and by its members, and keys go from one comment to the next', async ({ as }) => {
  const author = await as('editor');
  const stamp = Date.now();
  const releases = `/api/projects/${facts.projects.worldDesk.id}/releases`;
  const ids: number[] = [];
  for (const title of ['First', 'Second', 'Third']) ids.push((await call(author, 'POST', articles.api, { fields: { title: `${title} ${stamp}`, summary: 'A summary.' } })).id);
  const { id } = await call(author, 'POST', releases, { name: `Talked ${stamp}` });
  await call(author, 'POST', `${releases}/${id}/members`, { members: ids.map((entryId) => ({ entryId })) });
  await call(author, 'POST', `${releases}/${id}/publish`, {});
  await call(author, 'POST', `${releases}/${id}/approval/comments`, { text: 'Third as well?', entryId: ids[2], field: 'title' });

  const page = await as('projectAdmin');
  await page.goto(`/dashboard/projects/${facts.projects.worldDesk.id}/releases/${id}`);
  const whole = page.getByRole('region', { name: 'On the release as a whole' });
  await whole.getByRole('button', { name: 'Comment' }).click();
  await expect(comment(page)).toBeFocused();
  await expect(page.getByRole('button', { name: /About$/ })).toHaveCount(0);
  await page.keyboard.type('Do these belong together?');
  await comment(page).press('Control+Enter');
  const first = card(whole, 'Do these belong together?');
  await expect(first).toBeFocused();
  await expect(first).toContainText('On the release as a whole');
  expect(await violations(page)).toEqual([]);
  const { data } = await call(page, 'GET', `${releases}/${id}/approval/comments`);
  expect(data.map((c: { entryId?: number }) => c.entryId)).toEqual([ids[2], undefined]);

  // c comments on the member that is shown.
  await expect(page.getByRole('article', { name: `First ${stamp}` })).toBeVisible();
  await page.keyboard.press('c');
  await expect(comment(page)).toBeFocused();
  await page.keyboard.type('Is this one ready?');
  await comment(page).press('Control+Enter');
  const member = card(page, 'Is this one ready?');
  await expect(member).toBeFocused();
  await expect(whole.locator('[data-comment]')).toHaveCount(1);

  // n goes on to the next member with comments, and p comes back.
  await page.keyboard.press('n');
  const third = card(page, 'Third as well?');
  await expect(third).toBeFocused();
  await expect(page.getByRole('article', { name: `Third ${stamp}` })).toBeVisible();
  await expect(first).toBeVisible();
  await page.keyboard.press('p');
  await expect(first).toBeFocused();
  await page.keyboard.press('p');
  await expect(member).toBeFocused();
  await page.keyboard.press('e');
  await expect(member).toHaveCount(0);
  expect(await violations(page)).toEqual([]);
  await page.setViewportSize({ width: 390, height: 844 });
  await expect(first).toBeVisible();
  expect(await page.evaluate(() => document.documentElement.scrollWidth)).toBeLessThanOrEqual(390);
});
