import type { Locator, Page } from '@playwright/test';
import { articles, call, expect, facts, test } from './fixtures';
import { violations } from './axe';

const project = `/api/projects/${facts.projects.worldDesk.id}`;
const pages = `/dashboard/projects/${facts.projects.worldDesk.id}/releases`;
const count = 60;

/** Presses Enter on a control that has the focus. */
async function enter(page: Page, control: Locator) {
  await control.focus();
  await page.keyboard.press('Enter');
}

type Step = { currentStep: { stepOrder: number } | null; contentHash: string; status: string };

/** Approves the present step of a release through the API. */
async function approve(page: Page, id: number): Promise<string> {
  const { currentStep, contentHash } = (await call(page, 'GET', `${project}/releases/${id}/approval`)) as Step;
  return ((await call(page, 'POST', `${project}/releases/${id}/approval/approve`, { stepOrder: currentStep!.stepOrder, contentHash })) as Step).status;
}

test(`a release of ${count} entries is submitted, reviewed, revised, published and taken back by keyboard`, async ({ as }) => {
  const editor = await as('editor');
  const stamp = Date.now();
  const ids: number[] = [];
  for (let i = 0; i < count; i += 10) {
    const made = Array.from({ length: 10 }, (_, k) => call(editor, 'POST', articles.api, { fields: { title: `Launch ${stamp} ${i + k}`, summary: 'A summary.' } }));
    ids.push(...(await Promise.all(made)).map(({ id }) => id as number));
  }

  // Everything that the list shows is selected and submitted together.
  await editor.goto(`${articles.page}?q=${encodeURIComponent(`Launch ${stamp}`)}`);
  await expect(editor.getByRole('status').filter({ hasText: `${count} entries` })).toBeVisible();
  await editor.getByRole('grid').focus();
  await editor.keyboard.press('Space');
  await editor.keyboard.press('End');
  await expect(editor.locator(`#row-${count - 1} a`)).toBeVisible();
  await editor.keyboard.press('Shift+Space');
  await expect(editor.getByRole('region', { name: 'Selected entries' })).toContainText(`${count} entries selected`);
  await enter(editor, editor.getByRole('button', { name: 'Submit together…' }));
  const together = editor.getByRole('dialog', { name: `Submit ${count} entries together` });
  await expect(together.getByLabel('Name of the release')).toBeFocused();
  await editor.keyboard.press('Control+a');
  await editor.keyboard.type(`Launch ${stamp}`);
  expect(await violations(editor)).toEqual([]);
  await editor.keyboard.press('Enter');
  await expect(editor.getByText(/^Sent to review as CR-/)).toBeVisible();
  const id = (await call(editor, 'GET', `${project}/releases?state=pending&search=${encodeURIComponent(`Launch ${stamp}`)}`)).data[0].id as number;

  // A reviewer goes through all of them, one after the other.
  const reviewer = await as('projectAdmin');
  const asked = new Set<string>();
  reviewer.on('request', (request) => request.url().includes(`/releases/${id}/members/`) && asked.add(request.url()));
  await reviewer.goto(`${pages}/${id}`);
  const list = reviewer.getByRole('list', { name: 'Entries of the release' });
  await expect(list.getByRole('listitem').first()).toHaveAttribute('aria-setsize', `${count}`);
  await expect(reviewer.getByText(`0 of ${count} seen`)).toBeVisible();
  await expect(reviewer.getByRole('article')).toContainText('This has never been published');
  expect(await list.getByRole('listitem').count()).toBeLessThan(count); // those in view
  expect(asked.size).toBeLessThanOrEqual(2); // the changes of this one, and of the next
  expect(await violations(reviewer)).toEqual([]);
  await enter(reviewer, reviewer.getByRole('link', { name: `New ${count}` }));
  await expect(reviewer).toHaveURL(/kind=new/);
  await enter(reviewer, reviewer.getByRole('button', { name: /What changes/ }));
  await expect(reviewer.getByRole('option', { name: /^title/ })).toBeVisible();
  await reviewer.keyboard.type('title');
  await reviewer.keyboard.press('Enter');
  await expect(reviewer).toHaveURL(/path=title/);
  await reviewer.getByRole('article').focus();
  for (let seen = 1; seen <= count; seen++) {
    await reviewer.keyboard.press('j');
    await expect(reviewer.getByText(`${seen} of ${count} seen`)).toBeVisible();
  }
  await reviewer.keyboard.press('k');
  await expect(list.locator(`[aria-posinset="${count - 1}"] a`)).toHaveAttribute('aria-current', /true|page/);
  await reviewer.reload(); // the marks are kept
  await expect(reviewer.getByText(`${count} of ${count} seen`)).toBeVisible();

  // One entry needs other words: the release goes back, and comes again.
  await reviewer.getByRole('article').focus();
  await reviewer.keyboard.press('r');
  await expect(reviewer.getByLabel(/^What should .* change\?/)).toBeFocused();
  await reviewer.keyboard.type('Please write a longer summary for the first one.');
  expect(await violations(reviewer)).toEqual([]);
  await reviewer.keyboard.press('Control+Enter');
  await expect(reviewer.getByText(/^Sent back\./)).toBeVisible();
  await call(editor, 'PATCH', `${articles.api}/${ids[0]}`, { fields: { summary: 'A longer summary.' } });
  await editor.goto(`${pages}/${id}`);
  await expect(editor.getByText('The last round was', { exact: false })).toBeVisible();
  await expect(editor.getByText('Nothing keeps it from being sent.')).toBeVisible();
  expect(await violations(editor)).toEqual([]);
  await enter(editor, editor.getByRole('button', { name: 'Send to review' }));
  const send = editor.getByRole('dialog', { name: `Launch ${stamp}: send it?` });
  await enter(editor, send.getByRole('button', { name: 'Send to review' }));
  await expect(editor.getByText('In review').first()).toBeVisible();

  // Only what changed is new to the reviewer. One decision is about all.
  await reviewer.goto(`${pages}/${id}`);
  await expect(reviewer.getByText('0 of 1 seen')).toBeVisible();
  await expect(reviewer.getByRole('article')).toContainText('A longer summary.');
  await reviewer.getByRole('article').focus();
  await reviewer.keyboard.press('j');
  await expect(reviewer.getByText('1 of 1 seen')).toBeVisible();
  await reviewer.keyboard.press('a');
  await expect(reviewer.getByRole('button', { name: `Approve all ${count}` })).toBeFocused();
  await reviewer.keyboard.press('Enter');
  await expect(reviewer.getByText(/^Approved\./)).toBeVisible();
  await approve(await as('legal'), id);
  expect(await approve(await as('departmentAdmin'), id)).toBe('published');

  // It went out as a whole, and is taken back as a whole.
  await editor.goto(`${pages}/${id}`);
  await expect(editor.getByText(`${count} entries: ${count} were published`)).toBeVisible();
  expect(await violations(editor)).toEqual([]);
  await enter(editor, editor.getByRole('button', { name: 'Take it back' }));
  await enter(editor, editor.getByRole('dialog').getByRole('button', { name: 'Make the release' }));
  await expect(editor.getByRole('heading', { level: 1, name: `Revert: Launch ${stamp}` })).toBeVisible();
  await expect(editor.getByText(`${count} entries: ${count} will end`)).toBeVisible();
  expect(await violations(editor)).toEqual([]);
});
