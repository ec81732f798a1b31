import type { Page } from '@playwright/test';
import { violations } from './axe';
import { call, expect, facts, test } from './fixtures';

/** Makes a project without a workflow, with authors and with notes that require one. */
async function newsdesk(admin: Page) {
  const { id: project } = await call(admin, 'POST', `/api/tenants/${facts.tenantId}/projects`, {
    name: `Questions ${Date.now()}-${Math.floor(Math.random() * 1000)}`,
    departmentId: facts.departments.marketing,
    locales: ['en'],
  });
  const title = { name: 'title', type: 'text', label: 'Title', searchable: true };
  const { id: authors } = await call(admin, 'POST', `/api/projects/${project}/collections`, { slug: 'authors', name: 'Authors', fields: [title] });
  const author = { name: 'author', type: 'relation', label: 'Author', required: true, collection: 'authors' };
  const { id: notes } = await call(admin, 'POST', `/api/projects/${project}/collections`, { slug: 'notes', name: 'Notes', fields: [title, author] });
  const content = (collection: number) => `/api/projects/${project}/collections/${collection}/content`;
  return { project, authors: content(authors), notes: content(notes), pages: `/dashboard/projects/${project}/collections`, ids: { authors: authors as number, notes: notes as number } };
}

test('a required relation to a draft stands at its field, and is gone when the target is public', async ({ as }) => {
  const page = await as('tenantAdmin');
  const desk = await newsdesk(page);
  const { id: author } = await call(page, 'POST', desk.authors, { fields: { title: 'Ida Draft' } });
  const { id: note } = await call(page, 'POST', desk.notes, { fields: { title: 'A note', author } });

  await page.goto(`${desk.pages}/${desk.ids.notes}/entries/${note}`);
  const fault = page.getByText(/^Is not published yet: "Ida Draft"/);
  await expect(fault).toBeVisible();
  await expect(page.getByRole('list', { name: 'Author' }).locator('xpath=../..')).toContainText('Is not published yet');
  expect(await violations(page)).toEqual([]);
  await page.getByRole('button', { name: 'Publish now' }).click();
  await expect(page.getByText('One problem to fix before publication:')).toBeVisible();
  expect((await call(page, 'GET', `${desk.notes}/${note}`)).state).toBe('draft');

  await call(page, 'POST', `${desk.authors}/${author}/publish`, {});
  await page.reload();
  await expect(page.getByRole('list', { name: 'Author' })).toContainText('Ida Draft');
  await expect(fault).toHaveCount(0);
  await page.getByRole('button', { name: 'Publish now' }).click();
  await expect.poll(async () => (await call(page, 'GET', `${desk.notes}/${note}`)).state).toBe('published');
});

test('before an entry goes offline its holders are shown, and the reason reaches who published it', async ({ as }) => {
  const [page, editor] = [await as('tenantAdmin'), await as('editor')];
  const desk = await newsdesk(page);
  await call(page, 'PUT', `/api/projects/${desk.project}/members/${(await call(editor, 'GET', '/api/session')).id}`, { role: 'editor' });
  const { id: author } = await call(editor, 'POST', desk.authors, { fields: { title: 'Ida Public' } });
  await call(editor, 'POST', `${desk.authors}/${author}/publish`, {});
  const { id: note } = await call(editor, 'POST', desk.notes, { fields: { title: 'The holder', author } });
  await call(editor, 'POST', `${desk.notes}/${note}/publish`, {});

  const reason = `Left the house ${Date.now()}`;
  await page.goto(`${desk.pages}/${desk.ids.authors}/entries/${author}`);
  await page.getByRole('button', { name: 'Unpublish', exact: true }).click();
  const question = page.getByRole('dialog', { name: 'Unpublish this entry?' });
  await expect(question).toContainText('1 published entry requires this one and has a gap without it:');
  await expect(question.getByRole('link', { name: /The holder/ })).toBeVisible();
  expect(await violations(page)).toEqual([]);
  await question.getByRole('textbox', { name: 'Reason' }).fill(reason);
  await question.getByRole('button', { name: 'Unpublish' }).click();
  await expect(question).toBeHidden();
  await expect.poll(async () => (await call(page, 'GET', `${desk.authors}/${author}`)).state).toBe('draft');

  await editor.goto('/dashboard/notices');
  await expect(editor.getByRole('main')).toContainText(reason);

  // A selection asks the same.
  await call(editor, 'POST', `${desk.authors}/${author}/publish`, {});
  await page.goto(`${desk.pages}/${desk.ids.authors}?q=Ida`);
  await expect(page.getByText('1 entry', { exact: true })).toBeVisible();
  await page.getByRole('grid').focus();
  await page.keyboard.press('Control+a');
  await page.getByRole('region', { name: 'Selected entries' }).getByRole('button', { name: 'Unpublish' }).click();
  const several = page.getByRole('dialog', { name: 'Unpublish 1 entry' });
  await expect(several).toContainText('1 published entry requires one of them and has a gap without it:');
  await expect(several.getByRole('textbox', { name: 'Reason' })).toBeVisible();
  expect(await violations(page)).toEqual([]);
});

test('what nobody could decide is said before it is sent, for one entry and for a selection', async ({ as }) => {
  const page = await as('tenantAdmin');
  const desk = await newsdesk(page);
  const { id: role } = await call(page, 'POST', `/api/departments/${facts.departments.marketing}/custom-roles`, { name: `Nobody ${Date.now()}` });
  await call(page, 'PUT', `/api/projects/${desk.project}/approval-workflow`, { steps: [{ stepOrder: 1, stepLabel: 'Signature', requiredRoleKind: 'admin', requiredCustomRoleId: role }] });
  const entries: number[] = [];
  for (const title of ['Ida One', 'Ida Two']) entries.push((await call(page, 'POST', desk.authors, { fields: { title } })).id);

  await page.goto(`${desk.pages}/${desk.ids.authors}/entries/${entries[0]}`);
  await expect(page.getByText('No user can approve this step at present: Signature.')).toBeVisible();
  expect(await violations(page)).toEqual([]);

  await page.goto(`${desk.pages}/${desk.ids.authors}?q=Ida`);
  await expect(page.getByText('2 entries', { exact: true })).toBeVisible();
  await page.getByRole('grid').focus();
  await page.keyboard.press('Control+a');
  await page.getByRole('region', { name: 'Selected entries' }).getByRole('button', { name: 'Send to review' }).click();
  const question = page.getByRole('dialog', { name: 'Send 2 entries to review' });
  await expect(question).toContainText('2 entries would wait for a step that nobody could decide.');
  expect(await violations(page)).toEqual([]);
  await question.getByRole('button', { name: 'Cancel' }).click();
});
