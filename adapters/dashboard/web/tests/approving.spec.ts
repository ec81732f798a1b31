import type { Page } from '@playwright/test';
import { violations } from './axe';
import { call, expect, facts, test } from './fixtures';

type Desk = { project: number; collection: number; content: string; inbox: string };

/** Makes a project whose workflow has the steps. Its admins decide. */
async function desk(admin: Page, author: Page, ...steps: object[]): Promise<Desk> {
  const run = `${Date.now()}-${Math.floor(Math.random() * 1000)}`;
  const { id: project } = await call(admin, 'POST', `/api/tenants/${facts.tenantId}/projects`, { name: `Tags ${run}`, departmentId: facts.departments.newsroom, locales: ['en'] });
  const { id: collection } = await call(admin, 'POST', `/api/projects/${project}/collections`, { slug: 'tags', name: 'Tags', fields: [{ name: 'title', type: 'text', label: 'Title' }] });
  await call(admin, 'PUT', `/api/projects/${project}/approval-workflow`, { steps: steps.map((step, i) => ({ stepOrder: i + 1, requiredRoleKind: 'admin', ...step })) });
  await call(admin, 'PUT', `/api/projects/${project}/members/${(await call(author, 'GET', '/api/session')).id}`, { role: 'editor' });
  return { project, collection, content: `/api/projects/${project}/collections/${collection}/content`, inbox: `/dashboard/inbox?project=${project}` };
}

/** Submits entries with these titles, in their order. */
async function submit(author: Page, { content }: Desk, titles: string[]) {
  const ids: Record<string, number> = {};
  for (const title of titles) {
    const { id } = await call(author, 'POST', content, { fields: { title } });
    await call(author, 'POST', `${content}/${id}/publish`, {});
    ids[title] = id;
  }
  return ids;
}

const numbered = (n: number) => Array.from({ length: n }, (_, i) => `Tag ${String(i + 1).padStart(2, '0')}`);
const bar = (page: Page) => page.getByRole('region', { name: 'Selected requests' });
const box = (page: Page, title: string) => page.getByRole('listitem').filter({ hasText: title }).locator('label');

test('a selection is approved after a network failure, and what must be read is left out by name', async ({ as }) => {
  const [admin, author] = [await as('tenantAdmin'), await as('editor')];
  const place = await desk(admin, author, { stepLabel: 'Desk', allowRejection: true });
  const ids = await submit(author, place, numbered(30));
  await call(author, 'PATCH', `${place.content}/${ids['Tag 02']}`, { fields: { title: 'Tag 02, edited' } });

  await admin.goto(place.inbox);
  await box(admin, 'Tag 01').click();
  await box(admin, 'Tag 04').click({ modifiers: ['Shift'] });
  await expect(bar(admin)).toContainText('4 requests selected');
  await bar(admin).getByRole('button', { name: 'Select all 30' }).click();
  await expect(bar(admin)).toContainText('30 requests selected');
  expect(await violations(admin)).toEqual([]);
  await call(admin, 'POST', `${place.content}/${ids['Tag 03']}/approval/reject`, {});

  await bar(admin).getByRole('button', { name: 'Approve' }).click();
  const dialog = admin.getByRole('dialog', { name: 'Approve 30 requests' });
  const left = dialog.getByRole('list', { name: '2 are left out and must be read' });
  await expect(left.getByRole('listitem')).toHaveText([/^Tag 02.*draft has been edited/, /^Tag 03.*already decided or withdrawn/]);
  await dialog.getByRole('textbox', { name: 'Comment' }).fill('All tags are fine.');
  expect(await violations(admin)).toEqual([]);

  // The network fails while the eighth approval is answered: the server has it, the page does not know.
  let sent = 0;
  await admin.route('**/approval/approve', async (route) => {
    const nth = ++sent;
    if (nth < 8) return route.continue();
    if (nth === 8) await route.fetch();
    await route.abort('internetdisconnected');
  });
  await dialog.getByRole('button', { name: 'Approve 28' }).click();
  await expect(dialog.getByRole('button', { name: 'Try 21 again' })).toBeVisible();
  await expect(dialog.getByRole('status')).toHaveText(/^7 of 28 approved, \d failed, \d\d not yet$/);
  await expect(left.getByRole('listitem')).toHaveCount(2);
  expect(await violations(admin)).toEqual([]);

  await admin.unroute('**/approval/approve');
  await dialog.getByRole('button', { name: 'Try 21 again' }).click();
  await expect(dialog.getByRole('status')).toHaveText('28 of 28 approved');
  await expect(left.getByRole('listitem')).toHaveText([/^Tag 02/, /^Tag 03/]);
  await dialog.getByRole('button', { name: 'Close' }).last().click();
  await expect(admin.getByRole('list', { name: 'Waiting for me' }).getByRole('listitem')).toHaveText([/Tag 02/]);

  for (const id of Object.values(ids)) {
    const { status, actions } = await call(admin, 'GET', `${place.content}/${id}/approval`);
    const expected = { [ids['Tag 02']!]: 'pending', [ids['Tag 03']!]: 'rejected' }[id] ?? 'published';
    expect(status).toBe(expected);
    expect(actions.filter((a: { type: string; comment: string }) => a.type === 'approve' && a.comment === 'All tags are fine.')).toHaveLength(expected === 'published' ? 1 : 0);
  }
});

test('a step that asks for a proof is left out of an approval of several', async ({ as }) => {
  const [admin, author] = [await as('tenantAdmin'), await as('editor')];
  const place = await desk(admin, author, { reauthenticate: true });
  await submit(author, place, ['Sealed tag']);
  await admin.goto(place.inbox);
  await box(admin, 'Sealed tag').click();
  await bar(admin).getByRole('button', { name: 'Approve' }).click();
  const dialog = admin.getByRole('dialog', { name: 'Approve 1 request' });
  await expect(dialog.getByRole('list', { name: '1 is left out and must be read' })).toContainText('Its step asks you to show that it is you.');
  await expect(dialog.getByRole('button', { name: /^Approve/ })).toHaveCount(0);
  await dialog.getByRole('link', { name: 'Read it' }).click();
  await expect(admin.getByRole('heading', { name: 'Sealed tag' })).toBeVisible();
});

test('a selection is scheduled by keyboard, and then approved for its time', async ({ as }) => {
  const [admin, author] = [await as('tenantAdmin'), await as('editor')];
  const place = await desk(admin, author, { stepLabel: 'Desk', allowRejection: true });
  const ids = await submit(author, place, numbered(4));
  await admin.goto(place.inbox);
  await expect(admin.getByRole('link', { name: 'Tag 04' })).toBeVisible();
  await expect(async () => {
    await admin.keyboard.press('j'); // keys work a moment after the page is shown
    await expect(admin.locator('[data-row]:focus')).toBeVisible({ timeout: 2_000 });
  }).toPass();
  await admin.keyboard.press('x');
  await admin.keyboard.press('j');
  await admin.keyboard.press('j');
  await admin.keyboard.press('Shift+X');
  await expect(bar(admin)).toContainText('3 requests selected');
  await admin.keyboard.press('Escape');
  await expect(bar(admin)).toHaveCount(0);
  await admin.keyboard.press('x');
  await box(admin, 'Tag 01').click({ modifiers: ['Shift'] });
  await expect(bar(admin)).toContainText('3 requests selected');

  await bar(admin).getByRole('button', { name: 'Schedule' }).click();
  const scheduling = admin.getByRole('dialog', { name: 'Schedule 3 requests' });
  const send = scheduling.getByRole('button', { name: 'Schedule 3' });
  await expect(send).toBeDisabled();
  await scheduling.getByRole('spinbutton', { name: /day/ }).first().focus();
  await admin.keyboard.type('020120310300', { delay: 40 });
  await send.click();
  await expect(scheduling.getByRole('status')).toHaveText('3 of 3 scheduled');
  await scheduling.getByRole('button', { name: 'Close' }).last().click();

  await bar(admin).getByRole('button', { name: 'Approve' }).click();
  const approving = admin.getByRole('dialog', { name: 'Approve 3 requests' });
  await approving.getByRole('button', { name: 'Approve 3' }).click();
  await expect(approving.getByRole('status')).toHaveText('3 of 3 approved');
  const statuses = await Promise.all(Object.values(ids).map(async (id) => (await call(admin, 'GET', `${place.content}/${id}/approval`)).status));
  expect(statuses).toEqual(['approved', 'approved', 'approved', 'pending']);
});

test('what nobody can decide is said before the last decider leaves, and in the overview', async ({ as }) => {
  const [admin, author] = [await as('tenantAdmin'), await as('editor')];
  const run = `x${Math.random().toString(36).slice(2)}`;
  const name = `Lena ${run}`;
  const { id: last } = await call(admin, 'POST', '/api/users', { email: `${run}@meridian.example`, name, password: `first ${run} password`, tenantId: facts.tenantId });
  const { id: role } = await call(admin, 'POST', `/api/departments/${facts.departments.newsroom}/custom-roles`, { name: `Proof ${run}` });
  await call(admin, 'PUT', `/api/departments/${facts.departments.newsroom}/custom-roles/${role}/holders/${last}`);
  const place = await desk(admin, author, { requiredCustomRoleId: role });
  await submit(author, place, numbered(2));

  await admin.goto(`/dashboard/organisation/users?search=${run}`);
  await admin.getByRole('button', { name: `Actions for ${name}` }).click();
  await admin.getByRole('menuitem', { name: 'Deactivate' }).click();
  const question = admin.getByRole('dialog', { name: `Deactivate ${name}?` });
  await expect(question).toContainText('2 requests will wait for a step that nobody can decide.');
  expect(await violations(admin)).toEqual([]);
  await question.getByRole('button', { name: 'Deactivate' }).click();
  await expect(question).toContainText(`${name} is inactive.`);

  await admin.goto(`/dashboard/projects/${place.project}`);
  await expect(admin.getByText('2 requests wait for a step that nobody here can decide.')).toBeVisible();
  await admin.getByRole('link', { name: 'Show them' }).click();
  await expect(admin.getByRole('link', { name: 'Nobody can decide' })).toHaveAttribute('aria-current', 'page');
  await expect(admin.getByRole('list', { name: 'Nobody can decide' }).getByRole('listitem')).toHaveCount(2);
  expect(await violations(admin)).toEqual([]);
});
