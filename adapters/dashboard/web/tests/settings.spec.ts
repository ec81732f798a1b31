import type { Page } from '@playwright/test';
import { readFileSync } from 'node:fs';
import { violations } from './axe';
import { articles, call, expect, facts, test } from './fixtures';

const world = `/dashboard/projects/${facts.projects.worldDesk.id}`;
const blog = `/dashboard/projects/${facts.projects.blog.id}`;

/** Creates a department for one test, with a workflow of these steps. Returns its id. */
async function department(page: Page, name: string, ...labels: string[]): Promise<number> {
  const { id } = await call(page, 'POST', `/api/tenants/${facts.tenantId}/departments`, { name });
  const steps = labels.map((stepLabel, i) => ({ stepOrder: i + 1, stepLabel, requiredRoleKind: 'department_admin' }));
  await call(page, 'PUT', `/api/departments/${id}/approval-workflow`, { steps });
  return id;
}

const steps = (page: Page) => page.getByRole('grid', { name: 'Steps in their order' }).getByRole('row').locator('b');

test('steps are sorted by keyboard and by buttons, and saved together', { tag: '@firefox' }, async ({ as }) => {
  const page = await as('tenantAdmin');
  const id = await department(page, 'Sorting desk', 'First', 'Second', 'Third');
  await page.goto(`/dashboard/organisation/departments/${id}`);
  await expect(steps(page)).toHaveText(['First', 'Second', 'Third']);

  await page.getByRole('button', { name: 'Move Third earlier' }).click();
  await expect(steps(page)).toHaveText(['First', 'Third', 'Second']);
  await expect(page.getByText('Third is now at position 2 of 3')).toBeAttached();
  await page.keyboard.press('Enter'); // the focus is still on the button
  await expect(steps(page)).toHaveText(['Third', 'First', 'Second']);
  await expect(page.getByRole('button', { name: 'Move Third later' })).toBeFocused(); // the other button is disabled

  await page.getByRole('button', { name: 'Drag Third' }).focus();
  await page.keyboard.press('Enter');
  await expect(page.getByRole('button', { name: 'Insert between First and Second' })).toBeVisible();
  await page.keyboard.press('ArrowRight');
  await page.keyboard.press('Enter');
  await expect(steps(page)).not.toHaveText(['Third', 'First', 'Second']);

  await page.getByRole('link', { name: 'Inbox' }).click();
  await expect(page.getByRole('dialog', { name: 'Leave without saving?' })).toBeVisible();
  await page.getByRole('button', { name: 'Cancel' }).click();
  const order = await steps(page).allTextContents();
  await page.getByRole('button', { name: 'Save the workflow' }).click();
  await expect(page.getByText('The workflow was saved.')).toBeVisible();
  const saved = await call(page, 'GET', `/api/departments/${id}/approval-workflow`);
  expect(saved.steps.map((s: { stepLabel: string }) => s.stepLabel)).toEqual(order);
});

test('the workflow marks a step that no user can decide', async ({ as }) => {
  const page = await as('tenantAdmin');
  const id = await department(page, 'Empty desk', 'Check');
  const role = await call(page, 'POST', `/api/departments/${id}/custom-roles`, { name: 'Proofreader' });
  await page.goto(`/dashboard/organisation/departments/${id}`);
  await page.getByRole('button', { name: 'Change Check' }).click();
  await page.getByRole('button', { name: /Who decides/ }).click();
  await page.getByRole('option', { name: 'Proofreader' }).click();
  await page.getByRole('button', { name: 'Save the workflow' }).click();
  await expect(page.getByText('No user can decide it')).toBeVisible();

  // A role in use cannot be deleted: the dialog names the workflow.
  await page.getByRole('button', { name: 'Actions for Proofreader' }).click();
  await page.getByRole('menuitem', { name: 'Delete' }).click();
  const dialog = page.getByRole('dialog');
  await dialog.getByRole('button', { name: 'Delete' }).click();
  await expect(dialog).toContainText('Workflow of the department: step 1');
  await dialog.getByRole('button', { name: 'Cancel' }).click();

  await page.getByRole('button', { name: 'Holders', exact: true }).click();
  await dialog.getByRole('combobox').fill('paul');
  await expect(page.getByRole('option')).toHaveCount(1);
  await expect(page.getByRole('option', { name: 'Paul Lindqvist' })).toBeVisible();
  await page.keyboard.press('ArrowDown');
  await page.keyboard.press('Enter');
  await dialog.getByRole('button', { name: 'Give the role' }).click();
  await expect(dialog.getByRole('button', { name: 'Take the role from Paul Lindqvist' })).toBeVisible();
  const holders = await call(page, 'GET', `/api/departments/${id}/custom-roles/${role.id}/holders`);
  expect(holders.meta.total).toBe(1);
});

test('a change that affects readers requires confirmation', async ({ as }) => {
  const page = await as('projectAdmin');
  await page.goto(`${world}/collections/${facts.collections.articles}/definition`);
  await page.getByRole('button', { name: 'Remove Summary' }).click();
  await page.getByRole('button', { name: 'Remove the field' }).click();
  const question = page.getByRole('dialog', { name: 'Readers see this change immediately' });
  await expect(question).toContainText('summary: readers no longer see its values');
  await question.getByRole('button', { name: 'Cancel' }).click();
  await page.getByRole('dialog').getByRole('button', { name: 'Cancel' }).click();
  await expect(page.getByRole('row', { name: 'Summary' })).toBeVisible();
});

test('faults of a new field are shown at their options', async ({ as }) => {
  const page = await as('tenantAdmin');
  const { id } = await call(page, 'POST', `/api/projects/${facts.projects.archive.id}/collections`, { slug: 'boxes', name: 'Boxes' });
  await page.goto(`/dashboard/projects/${facts.projects.archive.id}/collections/${id}/definition`);
  await page.getByRole('button', { name: 'Add a field' }).click();
  const dialog = page.getByRole('dialog');
  await dialog.getByText('Choice', { exact: true }).click();
  await dialog.getByLabel('Label').fill('Kind of box');
  await expect(dialog.getByLabel('Name')).toHaveValue('kindOfBox');
  await dialog.getByRole('button', { name: 'Add the field' }).click();
  await expect(dialog.getByLabel('Choices')).toBeFocused();
  await expect(dialog.getByLabel('Choices')).toHaveAccessibleDescription(/Required/);
  await dialog.getByLabel('Choices').fill('wood\nsteel');
  await page.keyboard.press('Escape'); // unsaved work keeps the dialog open
  await dialog.getByRole('button', { name: 'Add the field' }).click();
  await expect(page.getByRole('row', { name: 'Kind of box' })).toBeVisible();
});

test('the secret of a token is shown once', async ({ as }) => {
  const page = await as('tenantAdmin');
  await page.goto(`${blog}/tokens`);
  await page.getByRole('button', { name: 'Create a token' }).click();
  const dialog = page.getByRole('dialog');
  await dialog.getByLabel('Name').fill('Screens in the hall');
  await dialog.getByRole('button', { name: 'Create a token' }).click();
  await expect(dialog.getByLabel('Token')).toHaveValue(/^imp_/);
  const secret = await dialog.getByLabel('Token').inputValue();
  await page.keyboard.press('Escape'); // must not close the dialog: the secret would be lost
  await expect(dialog).toBeVisible();
  await dialog.getByRole('button', { name: 'I have copied it' }).click();
  await expect(page.getByText(secret)).toHaveCount(0);
  await page.getByRole('button', { name: 'Actions for Screens in the hall' }).click();
  await page.getByRole('menuitem', { name: 'Revoke' }).click();
  await dialog.getByRole('button', { name: 'Revoke' }).click();
  await expect(page.getByRole('listitem').filter({ hasText: 'Screens in the hall' })).toContainText('Revoked');
});

test('a webhook is created, tested and deleted', async ({ as }) => {
  const page = await as('tenantAdmin');
  await page.goto(`${blog}/webhooks`);
  await page.getByRole('button', { name: 'Create a webhook' }).click();
  const dialog = page.getByRole('dialog');
  await dialog.getByLabel('Name', { exact: true }).fill('Website');
  await dialog.getByLabel('Address').fill('http://localhost/hook');
  await dialog.getByRole('checkbox', { name: 'Everything' }).focus();
  await page.keyboard.press('Space');
  await page.keyboard.press('Space'); // now nothing is chosen
  await expect(dialog).toContainText('Choose events to see what will be sent.');
  await dialog.getByRole('checkbox', { name: 'media.*' }).focus();
  await page.keyboard.press('Space');
  await expect(dialog.getByRole('region', { name: 'Example of a message' })).toContainText('"type": "media.created"');
  await dialog.getByRole('button', { name: 'Create a webhook' }).click();
  await expect(dialog.getByLabel('Address')).toBeFocused();
  await expect(dialog.getByLabel('Address')).toHaveAccessibleDescription(/Must be an https address/);
  await dialog.getByLabel('Address').fill('https://hooks.invalid/hook');
  await dialog.getByRole('button', { name: 'Create a webhook' }).click();
  await expect(dialog.getByLabel('Secret')).toHaveValue(/^whsec_/);
  await dialog.getByRole('button', { name: 'I have copied it' }).click();
  await page.getByRole('button', { name: 'Actions for Website' }).click();
  await page.getByRole('menuitem', { name: 'Send a test' }).click();
  await expect(page.getByRole('heading', { level: 1, name: 'Website' })).toBeVisible();
  await expect(page.getByRole('listitem').filter({ hasText: 'dlv_' })).toContainText('the name of the host is not known');
  await page.getByText('One attempt').click();
  expect(await violations(page)).toEqual([]);
  await page.getByRole('button', { name: 'Actions for Website' }).click();
  await page.getByRole('menuitem', { name: 'Delete' }).click();
  await dialog.getByRole('button', { name: 'Delete' }).click();
  await expect(page.getByRole('heading', { name: 'No webhooks yet' })).toBeVisible();
});

test('the audit says what happened, and is downloaded as filtered', async ({ as }) => {
  const page = await as('projectAdmin');
  const { id } = await call(page, 'POST', articles.api, { fields: { title: 'Audited', summary: 'Once.' } });
  await page.goto(`${world}/audit?entry=${id}`);
  const row = page.getByRole('list', { name: 'Events' }).getByRole('listitem').filter({ hasText: 'entry.created' });
  await expect(row).toContainText('created “Audited” in Articles, English');
  await expect(page.getByRole('combobox', { name: 'Entry' })).toHaveValue('Audited');
  await page.getByRole('button', { name: /Kind/ }).click();
  await page.getByRole('option', { name: 'Entry created' }).click();
  await expect(page).toHaveURL(/type=entry\.created/);
  await page.getByRole('button', { name: 'Download' }).click();
  const download = page.waitForEvent('download');
  await page.getByRole('menuitem', { name: /CSV/ }).click();
  const lines = readFileSync(await (await download).path(), 'utf8').trim().split('\r\n');
  expect(lines).toHaveLength(2);
  expect(lines[1]).toContain(`,articles,${id},`);
  await row.getByRole('link', { name: '“Audited” in Articles' }).click();
  await expect(page).toHaveURL(articles.entry(id));

  // An entry is picked by its title.
  const title = `Ledger ${Date.now()}`;
  const { id: other } = await call(page, 'POST', articles.api, { fields: { title, summary: 'Twice.' } });
  await page.goto(`${world}/audit`);
  await page.getByRole('combobox', { name: 'Entry' }).fill(title);
  await page.getByRole('option', { name: title }).click();
  await expect(page).toHaveURL(new RegExp(`entry=${other}`));
  await expect(row).toContainText(`created “${title}” in Articles`);
});

test('a viewer sees no actions that change settings', async ({ as }) => {
  const page = await as('viewer');
  for (const path of ['workflow', 'collections', 'components', 'members', 'tokens', 'webhooks', 'audit', 'languages', 'settings']) {
    await page.goto(`${world}/${path}`);
    await expect(page.getByRole('heading', { level: 1 })).toBeVisible();
    await page.waitForLoadState('networkidle');
    await expect(page.locator('main').getByRole('button', { name: /Add|Create|Save|Delete|Remove|Change|Move/ })).toHaveCount(0);
  }
});

for (const colorScheme of ['light', 'dark'] as const) {
  test(`a project lets shared caches keep its reads, ${colorScheme}`, async ({ as }) => {
    const page = await as('tenantAdmin', { colorScheme, locale: 'de-DE', viewport: { width: 390, height: 844 } });
    const { id } = await call(page, 'POST', `/api/tenants/${facts.tenantId}/projects`, { name: `Caches ${colorScheme}` });
    const kept = async () => (await call(page, 'GET', `/api/projects/${id}`)).sharedCache;
    await page.goto(`/dashboard/projects/${id}/settings`);
    const field = page.getByLabel('Gemeinsame Caches, in Sekunden');
    const save = page.getByRole('button', { name: 'Speichern' });
    await expect(field).toHaveValue('0');
    await expect(field).toHaveAccessibleDescription(/prüfen nicht, ob ein Token noch gilt/);
    await field.fill('300');
    await save.click();
    await expect(page.getByText('Die Einstellungen sind gespeichert.')).toBeVisible();
    expect(await kept()).toBe(300);

    await field.fill('86401');
    await save.click();
    await expect(field).toHaveAccessibleDescription(/Muss zwischen 0 und 86400 Sekunden liegen/);
    await expect(field).toBeFocused();
    // A text that is no number is not sent as an empty one: "1.000" may mean a thousand.
    for (const wrong of ['abc', '1.000']) {
      await field.fill(wrong);
      await field.press('Enter');
      await expect(field).toHaveAccessibleDescription(/Bitte eine Zahl eingeben/);
      await expect(field).toBeFocused();
      await expect(field).toHaveValue(wrong);
    }
    expect(await violations(page)).toEqual([]);
    expect(await kept()).toBe(300);

    await field.fill('3600');
    await field.press('Enter');
    await expect(save).toBeDisabled();
    await page.reload();
    await expect(field).toHaveValue('3600');

    // A response that a cache has kept is answered without the token.
    await call(page, 'POST', `/api/projects/${id}/tokens`, { name: 'Website', abilities: ['read'] });
    await page.goto(`/dashboard/projects/${id}/tokens`);
    await page.getByRole('button', { name: 'Aktionen für Website' }).click();
    await page.getByRole('menuitem', { name: 'Widerrufen' }).click();
    await expect(page.getByRole('dialog')).toContainText('noch bis zu 3.660 Sekunden');
    expect(await violations(page)).toEqual([]);
  });
}

test('a change of a field says before how many versions it affects, with lists of them', async ({ as }) => {
  const page = await as('superAdmin');
  const { id: project } = await call(page, 'POST', `/api/tenants/${facts.tenantId}/projects`, { name: `Affected ${Date.now()}`, locales: ['en', 'de'] });
  const fields = [
    { name: 'title', label: 'Title', type: 'text' },
    { name: 'note', label: 'Note', type: 'text' },
  ];
  const { id: collection } = await call(page, 'POST', `/api/projects/${project}/collections`, { slug: 'texts', name: 'Texts', fields });
  const content = `/api/projects/${project}/collections/${collection}/content`;
  for (const [title, note, state] of [['One', null, 'published'], ['Two', null, 'draft'], ['Three', 'a note', 'published'], ['Four', null, 'published']]) {
    const { id } = await call(page, 'POST', content, { fields: { title, note } });
    if (state === 'published') await call(page, 'POST', `${content}/${id}/publish`, {});
  }
  await page.goto(`/dashboard/projects/${project}/collections/${collection}/definition`);
  await page.getByRole('button', { name: 'Change Note' }).click();
  const dialog = page.getByRole('dialog');
  await expect(dialog.getByRole('link')).toHaveCount(0);
  await dialog.getByRole('checkbox', { name: /Required/ }).click({ force: true });
  await expect(dialog.getByRole('link', { name: '2 published versions' })).toBeVisible();
  const list = dialog.getByRole('link', { name: '3 drafts' });
  const opened = page.waitForEvent('popup');
  await list.click();
  const table = await opened;
  await expect(table.getByRole('link', { name: 'Two' })).toBeVisible();
  await expect(table.getByRole('link', { name: 'Three' })).toHaveCount(0);
  await table.close();
  await dialog.getByRole('button', { name: 'Cancel' }).click();

  await page.getByRole('button', { name: 'Remove Note' }).click();
  await expect(dialog.getByRole('link', { name: '1 published version' })).toBeVisible();
  await expect(dialog.getByRole('link', { name: '1 draft' })).toBeVisible();
});

test('the notices say which role was given, where and by whom', async ({ as }) => {
  const [admin, viewer] = [await as('tenantAdmin'), await as('viewer')];
  const [giver, { id: userId }] = [await call(admin, 'GET', '/api/session'), await call(viewer, 'GET', '/api/session')];
  const name = `Given ${Math.random().toString(36).slice(2)}`;
  const { id } = await call(admin, 'POST', `/api/tenants/${facts.tenantId}/projects`, { name, departmentId: facts.departments.newsroom, locales: ['en'] });
  await call(admin, 'PUT', `/api/projects/${id}/members/${userId}`, { role: 'editor' });
  const told = async () => (await call(viewer, 'GET', '/api/me/notices?perPage=100')).data.some((n: { place?: string }) => n.place === name);
  await expect.poll(told).toBe(true);
  await viewer.goto('/dashboard/notices');
  await expect(viewer.getByRole('main').getByRole('link', { name: `${giver.name} made you Editor of the project ${name}` })).toBeVisible();
});
