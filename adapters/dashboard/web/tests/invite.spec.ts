import { randomUUID } from 'node:crypto';
import { call, expect, facts, test } from './fixtures';
import { linksTo } from './identity';

test('invites a person by mail, who accepts on a phone without scripts', async ({ as, browser }) => {
  const admin = await as('tenantAdmin');
  const email = `ida-${randomUUID()}@meridian.example`;
  await admin.goto('/dashboard/organisation/users');
  await admin.getByRole('button', { name: 'Invite', exact: true }).click();
  const dialog = admin.getByRole('dialog');
  await dialog.getByLabel('E-mail').fill(email);
  await dialog.getByRole('button', { name: 'Language' }).click();
  await admin.getByRole('option', { name: 'Deutsch' }).click();
  await dialog.getByRole('button', { name: 'Invite', exact: true }).click();
  await expect(dialog.getByText('Choose where the role is given.')).toBeVisible();
  await dialog.getByRole('button', { name: 'Project' }).click();
  await admin.getByRole('option', { name: 'World Desk' }).click();
  await dialog.getByRole('button', { name: 'Add another role' }).click();
  await dialog.getByRole('button', { name: /Role/ }).nth(1).click();
  await admin.getByRole('option', { name: 'Admin of the department' }).click();
  await dialog.getByRole('button', { name: /Department/ }).last().click();
  await admin.getByRole('option', { name: 'Marketing' }).click();
  await dialog.getByRole('button', { name: 'Invite', exact: true }).click();
  await expect(dialog).toBeHidden();
  const row = admin.getByRole('list', { name: 'Invitations' }).getByRole('listitem').filter({ hasText: email });
  await expect(row).toContainText('Open');
  await expect(row).toContainText('Editor (World Desk)');
  await expect(row).toContainText('Admin of the department (Marketing)');

  await linksTo(admin, email, 'invite');
  await row.getByRole('button', { name: `Actions for ${email}` }).click();
  await admin.getByRole('menuitem', { name: 'Send again' }).click();
  const [link, former] = await linksTo(admin, email, 'invite', 2);

  const context = await browser.newContext({ baseURL: facts.baseUrl, locale: 'de-DE', viewport: { width: 390, height: 844 }, javaScriptEnabled: false });
  const phone = await context.newPage();
  await phone.goto(former!);
  await expect(phone.getByLabel('Ihr Name')).toBeHidden();
  await phone.goto(link!);
  await expect(phone.getByText('World Desk')).toBeVisible();
  await phone.getByLabel('Ihr Name').fill('Ida Invited');
  await phone.getByLabel('Passwort').fill(randomUUID());
  await phone.keyboard.press('Enter');
  await phone.waitForURL((url) => !url.pathname.includes('invitation'));
  const session = await call(phone, 'GET', '/api/session');
  expect(session).toMatchObject({ email, name: 'Ida Invited', tenantId: facts.tenantId });
  await context.close();

  await admin.reload();
  await expect(row).toContainText('Accepted');
  await expect(admin.getByRole('list', { name: 'Users' })).toContainText('Ida Invited');
});

test('the admin of a project invites to it, sees the invitation, and withdraws it', async ({ as }) => {
  const members = `/dashboard/projects/${facts.projects.worldDesk.id}/members`;
  const admin = await as('projectAdmin');
  const email = `noa-${randomUUID()}@meridian.example`;
  await admin.goto(members);
  await admin.getByRole('button', { name: 'Invite by e-mail' }).click();
  const dialog = admin.getByRole('dialog');
  await expect(dialog.getByRole('button', { name: /Project/ })).toContainText('World Desk'); // the only one
  await dialog.getByRole('button', { name: /Role/ }).click();
  await expect(admin.getByRole('option')).toHaveText(['Viewer', 'Editor', 'Admin of the project']);
  await admin.getByRole('option', { name: 'Viewer' }).click();
  await dialog.getByLabel('E-mail').fill(email);
  await dialog.getByRole('button', { name: 'Invite', exact: true }).click();
  await expect(dialog).toBeHidden();
  const open = admin.getByRole('list', { name: 'Open invitations' });
  await expect(open.getByRole('listitem').filter({ hasText: email })).toContainText('Viewer (World Desk)');
  await admin.getByRole('button', { name: `Actions for ${email}` }).click();
  await admin.getByRole('menuitem', { name: 'Withdraw' }).click();
  await dialog.getByRole('button', { name: 'Withdraw' }).click();
  await expect(admin.getByText(email, { exact: true })).toHaveCount(0);

  const editor = await as('editor');
  await editor.goto(members);
  await expect(editor.getByText('With a role in this project')).toBeVisible();
  await expect(editor.getByRole('button', { name: 'Invite by e-mail' })).toHaveCount(0);
});
