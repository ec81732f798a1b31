import { violations } from './axe';
import { call, expect, facts, test } from './fixtures';
import { person } from './identity';

test('a user lends decisions on the account page, and the other one decides on their behalf', async ({ as, visitor }) => {
  const admin = await as('tenantAdmin');
  const owner = await as('superAdmin');
  const run = Date.now();
  const { id: department } = await call(admin, 'POST', `/api/tenants/${facts.tenantId}/departments`, { name: `Desk ${run}` });
  const { id: project } = await call(admin, 'POST', `/api/tenants/${facts.tenantId}/projects`, { name: `Dispatches ${run}`, departmentId: department, locales: ['en'] });
  const { id: collection } = await call(admin, 'POST', `/api/projects/${project}/collections`, { slug: 'notes', name: 'Notes', fields: [{ name: 'title', type: 'text', label: 'Title' }] });
  await call(admin, 'PUT', `/api/departments/${department}/approval-workflow`, { steps: [{ stepOrder: 1, stepLabel: 'Desk', requiredRoleKind: 'admin' }] });

  await admin.goto(`/dashboard/organisation/departments/${department}`);
  await admin.getByRole('button', { name: 'Change Desk' }).click();
  await admin.getByRole('checkbox', { name: 'Others may decide on behalf of these people' }).focus();
  await admin.keyboard.press('Space');
  await admin.getByRole('button', { name: 'Save the workflow' }).click();
  await expect(admin.getByText('The workflow was saved.')).toBeVisible();
  const { steps } = await call(admin, 'GET', `/api/departments/${department}/approval-workflow`);
  expect(steps).toMatchObject([{ stepId: 1, delegable: true }]);

  const [away, deputy] = [await visitor(), await visitor()];
  const { id: awayId } = await person(owner, away, `Ann Away ${run}`);
  const { id: deputyId } = await person(owner, deputy, `Dan Deputy ${run}`);
  await call(admin, 'PUT', `/api/projects/${project}/members/${awayId}`, { role: 'admin' });
  await call(admin, 'PUT', `/api/projects/${project}/members/${deputyId}`, { role: 'viewer' });
  const { id: entry } = await call(admin, 'POST', `/api/projects/${project}/collections/${collection}/content`, { fields: { title: `Note ${run}` }, published: true });

  await away.goto('/dashboard/account');
  const section = away.locator('#delegations');
  await section.getByRole('button', { name: /Who may decide for me/ }).click();
  await away.getByRole('option', { name: `Dan Deputy ${run}` }).click();
  expect(await violations(away)).toEqual([]);
  const made = await call(away, 'POST', '/api/me/delegations', { to: deputyId, until: new Date(run + 86_400_000).toISOString(), note: 'On holiday' });
  await away.reload();
  const given = section.getByRole('list', { name: 'Who may decide for me' });
  await expect(given).toContainText(`Dan Deputy ${run} may decide for you`);
  await expect(given).toContainText('On holiday');

  await deputy.goto('/dashboard/inbox');
  const row = deputy.getByRole('link', { name: new RegExp(`Note ${run}`) });
  await expect(row).toContainText(`On behalf of Ann Away ${run}`);
  await deputy.getByRole('button', { name: /In whose name/ }).click();
  await deputy.getByRole('option', { name: 'On behalf of others' }).click();
  await expect(deputy).toHaveURL(/delegated=true/);
  await row.click();
  const panel = deputy.getByRole('complementary', { name: 'Decision and record' });
  await expect(panel).toContainText(`You decide on behalf of Ann Away ${run}.`);
  expect(await violations(deputy)).toEqual([]);
  await panel.getByRole('button', { name: /^Approve/ }).click();
  await expect(deputy.getByText(/^Approved\./)).toBeVisible();
  await deputy.goto(`/dashboard/review/${project}/${collection}/${entry}?tab=record`);
  await expect(deputy.getByRole('article')).toContainText(`On behalf of Ann Away ${run}`);

  await away.reload();
  await section.getByRole('button', { name: `End: Dan Deputy ${run} may decide for you` }).click();
  await expect(given).toBeHidden();
  expect((await call(away, 'GET', '/api/me/delegations')).given).not.toContainEqual(expect.objectContaining({ id: made.id }));
});

test('an admin of a department sets a deputy for somebody who is away, and ends it', async ({ as, visitor }) => {
  const [admin, owner, away, deputy] = [await as('departmentAdmin'), await as('superAdmin'), await visitor(), await visitor()];
  const run = Date.now();
  const department = facts.departments.newsroom;
  const { id: awayId } = await person(owner, away, `Una Ill ${run}`);
  const { id: deputyId } = await person(owner, deputy, `Sam Standin ${run}`);
  await call(owner, 'PUT', `/api/projects/${facts.projects.worldDesk.id}/members/${awayId}`, { role: 'admin' });
  await call(owner, 'PUT', `/api/projects/${facts.projects.worldDesk.id}/members/${deputyId}`, { role: 'viewer' });
  await admin.goto(`/dashboard/organisation/departments/${department}`);
  await admin.getByRole('button', { name: 'Set a deputy' }).click();
  const dialog = admin.getByRole('dialog', { name: 'Set a deputy' });
  const save = dialog.getByRole('button', { name: 'Let them decide' });
  await expect(save).toBeDisabled();
  for (const [label, name] of [['Who is away', `Una Ill ${run}`], ['Who decides instead', `Sam Standin ${run}`]] as const) {
    await dialog.getByRole('combobox', { name: label }).fill(name);
    await admin.getByRole('option', { name }).click();
  }
  const until = new Date(run + 5 * 86_400_000);
  const date = dialog.getByRole('group', { name: /^Until/ });
  await date.getByRole('spinbutton').first().click();
  for (const part of [until.getUTCDate(), until.getUTCMonth() + 1]) await admin.keyboard.type(String(part).padStart(2, '0'));
  await admin.keyboard.type(String(until.getUTCFullYear()));
  await admin.keyboard.type('1200');
  await dialog.getByLabel('Note').fill('On sick leave');
  expect(await violations(admin)).toEqual([]);
  await save.click();
  await expect(dialog).toBeHidden();
  const list = admin.getByRole('list', { name: 'Decisions on behalf of others' });
  const said = `Sam Standin ${run} may decide for Una Ill ${run}`;
  await expect(list).toContainText(said);
  await expect(list).toContainText('On sick leave');
  expect(await violations(admin)).toEqual([]);
  const set = (await call(admin, 'GET', `/api/departments/${department}/delegations`)).data.find((d: { to: { id: number } }) => d.to.id === deputyId);
  expect(set).toMatchObject({ for: { id: awayId }, note: 'On sick leave', projects: [] });
  expect((await call(deputy, 'GET', '/api/me/delegations')).received).toHaveLength(1);
  await list.getByRole('button', { name: `End: ${said}` }).click();
  await expect(admin.getByText(said)).toHaveCount(0);
  expect((await call(deputy, 'GET', '/api/me/delegations')).received).toHaveLength(0);
});
