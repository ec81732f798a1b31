import { violations } from './axe';
import { call, expect, facts, test } from './fixtures';

test('a user makes an assistant where the organisation allows it, connects it and revokes it', async ({ as }) => {
  const admin = await as('tenantAdmin');
  const run = Date.now();
  await admin.goto(`/dashboard/organisation/tenants/${facts.tenantId}`);
  const allowed = admin.getByRole('switch', { name: /Allow assistants/ });
  await expect(allowed).toBeVisible();
  if (!(await allowed.isChecked())) {
    await allowed.focus();
    await admin.keyboard.press('Space');
    await expect(admin.getByText('The organisation was saved.')).toBeVisible();
  }
  expect(await call(admin, 'GET', `/api/tenants/${facts.tenantId}`)).toMatchObject({ assistants: true });

  await admin.goto('/dashboard/account');
  const section = admin.locator('#assistants');
  await section.getByRole('textbox', { name: 'Name of the assistant' }).fill(`Claude ${run}`);
  await section.getByRole('button', { name: /Project/ }).click();
  await admin.getByRole('option', { name: 'World Desk', exact: true }).click();
  expect(await violations(admin)).toEqual([]);
  await section.getByRole('button', { name: 'Make an assistant' }).click();
  const dialog = admin.getByRole('dialog');
  const token = await dialog.getByRole('textbox', { name: 'Token of the assistant' }).inputValue();
  expect(token).toMatch(/^ima_/);
  await expect(dialog).toContainText('/mcp');
  expect(await violations(admin)).toEqual([]);
  await dialog.getByRole('button', { name: 'Done' }).click();
  const list = section.getByRole('list', { name: 'Assistants' });
  await expect(list).toContainText(`Claude ${run}`);
  await expect(list).toContainText('World Desk');

  const reads = () => fetch(`${facts.baseUrl}/public/v2/projects/${facts.projects.worldDesk.uuid}/collections`, { headers: { authorization: `Bearer ${token}` } }).then((r) => r.status);
  expect(await reads()).toBe(200);
  await section.getByRole('button', { name: `Revoke Claude ${run}` }).click();
  await expect(admin.getByText('The assistant was revoked.')).toBeVisible();
  await expect(section.getByText(`Claude ${run}`)).toBeHidden();
  await expect.poll(reads).toBe(401);
});
