import { violations } from './axe';
import { call, expect, facts, test } from './fixtures';

test('an editor undoes what an assistant did', async ({ as }) => {
  const editor = await as('editor');
  const run = Date.now();
  const project = facts.projects.worldDesk;
  const content = `/api/projects/${project.id}/collections/${facts.collections.articles}/content`;
  const admin = await as('tenantAdmin');
  await call(admin, 'PATCH', `/api/tenants/${facts.tenantId}`, { assistants: true });
  const changed = await call(editor, 'POST', content, { fields: { title: `Before ${run}` } });
  const { id, secret } = await call(editor, 'POST', '/api/me/assistants', { name: `Claude ${run}`, projects: [project.id], expiresIn: 1, drafts: true });
  const write = async (method: string, path: string, title: string) => {
    const answer = await fetch(facts.baseUrl + path, { method, headers: { authorization: `Bearer ${secret}`, 'content-type': 'application/json' }, body: JSON.stringify({ fields: { title } }) });
    expect(answer.ok).toBe(true);
    return answer.json();
  };
  await write('PATCH', `${content}/${changed.id}`, `After ${run}`);
  const made = await write('POST', content, `Made ${run}`);

  await editor.goto('/dashboard/account');
  await editor.locator('#assistants').getByRole('listitem').filter({ hasText: `Claude ${run}` }).getByRole('link', { name: 'World Desk' }).click();
  await expect(editor.getByRole('heading', { level: 1, name: 'What assistants did' })).toBeVisible();
  const row = editor.getByRole('listitem').filter({ hasText: `Claude ${run} (Emil Santos)` }).first();
  await expect(row).toContainText('1 entry created and 1 draft changed');
  await expect(row.getByRole('link', { name: new RegExp(`Made ${run}`) })).toBeVisible();
  expect(await violations(editor)).toEqual([]);
  await row.getByRole('button', { name: /^Undo the run/ }).click();
  await editor.getByRole('dialog').getByRole('button', { name: 'Undo this run' }).click();
  await expect(row.getByRole('status')).toContainText('Drafts put back: 1. Moved to the trash: 1.');
  expect(await violations(editor)).toEqual([]);
  expect(await call(editor, 'GET', `${content}/${changed.id}`)).toMatchObject({ fields: { title: `Before ${run}` } });
  expect(await call(editor, 'GET', `${content.replace('/content', '/trash')}/${made.id}`)).toMatchObject({ fields: { title: `Made ${run}` } });
  await call(editor, 'DELETE', `/api/me/assistants/${id}`);

  const german = await as('editor', { locale: 'de-DE' });
  await german.goto(`/dashboard/projects/${project.id}/assistants`);
  await expect(german.getByRole('heading', { level: 1 })).toBeVisible();
  expect(await violations(german)).toEqual([]);
});
