import { randomUUID } from 'node:crypto';
import { call, expect, facts, test } from './fixtures';
import { linksTo, withAuthenticator } from './identity';

test('an invited reviewer confirms a decision with a passkey', async ({ as, visitor }) => {
  const admin = await as('tenantAdmin');
  const run = Date.now();
  const email = `rosa-${randomUUID()}@meridian.example`;
  const department = (await call(admin, 'POST', `/api/tenants/${facts.tenantId}/departments`, { name: `Fact desk ${run}` })).id;
  const { id: project } = await call(admin, 'POST', `/api/tenants/${facts.tenantId}/projects`, { name: `Checked facts ${run}`, departmentId: department, locales: ['en'] });
  const { id: collection } = await call(admin, 'POST', `/api/projects/${project}/collections`, { slug: 'facts', name: 'Facts', fields: [{ name: 'title', type: 'text', label: 'Title' }] });
  const role = await call(admin, 'POST', `/api/departments/${department}/custom-roles`, { name: `Fact checker ${run}` });
  await call(admin, 'PUT', `/api/departments/${department}/approval-workflow`, { steps: [{ stepOrder: 1, stepLabel: 'Fact check', requiredRoleKind: 'admin', requiredCustomRoleId: role.id }] });
  const author = await as('editor');
  await call(admin, 'PUT', `/api/projects/${project}/members/${(await call(author, 'GET', '/api/session')).id}`, { role: 'editor' });

  await admin.goto(`/dashboard/organisation/departments/${department}`);
  await admin.getByRole('button', { name: 'Invite by e-mail' }).click();
  const dialog = admin.getByRole('dialog');
  await dialog.getByLabel('E-mail').fill(email);
  await expect(dialog.getByRole('button', { name: /Project/ })).toContainText(`Checked facts ${run}`); // the only one
  await dialog.getByRole('button', { name: /Role/ }).first().click();
  await admin.getByRole('option', { name: 'Viewer' }).click();
  await dialog.getByRole('button', { name: 'Add another role' }).click();
  await dialog.getByRole('button', { name: /Role/ }).nth(1).click();
  await admin.getByRole('option', { name: `Fact checker ${run}` }).click();
  await expect(dialog.getByRole('button', { name: /Role/ }).nth(1)).toContainText(`Fact desk ${run}`);
  await dialog.getByRole('button', { name: 'Invite', exact: true }).click();
  await expect(dialog).toBeHidden();
  const open = admin.getByRole('list', { name: 'Open invitations' });
  await expect(open).toContainText(email);
  await expect(open).toContainText(`Fact checker ${run}`);

  const reviewer = await visitor();
  await withAuthenticator(reviewer);
  const [link] = await linksTo(admin, email, 'invite');
  await reviewer.goto(link!);
  await expect(reviewer.getByRole('listitem')).toHaveText([`Checked facts ${run}: Viewer`, `Fact desk ${run}: Fact checker ${run}`]);
  await reviewer.getByLabel('Your name').fill('Rosa Invited');
  const password = randomUUID();
  await reviewer.getByLabel('Password').fill(password);
  await reviewer.keyboard.press('Enter');
  await reviewer.waitForURL(/inbox/);
  await reviewer.goto('/dashboard/account');
  await reviewer.getByRole('button', { name: 'Add a passkey' }).click();
  await expect(reviewer.getByText('The passkey was added')).toBeVisible();

  await admin.goto(`/dashboard/organisation/departments/${department}`);
  await admin.getByRole('button', { name: 'Change Fact check' }).click();
  await admin.getByRole('checkbox', { name: 'Ask who decides to show that it is them' }).focus();
  await admin.keyboard.press('Space');
  await admin.getByRole('button', { name: 'Save the workflow' }).click();
  await expect(admin.getByText('The workflow was saved.')).toBeVisible();

  const title = `A fact of ${run}`;
  await author.goto(`/dashboard/projects/${project}/collections/${collection}/new`);
  await author.getByRole('textbox', { name: 'Title' }).fill(title);
  await author.waitForURL(/entries\/\d+/);
  await author.getByRole('button', { name: 'Send to review' }).click();
  await expect(author.getByRole('link', { name: 'Open the review' })).toBeVisible();

  await reviewer.goto('/dashboard/inbox');
  await reviewer.getByRole('link', { name: title }).click();
  const comment = 'The harbour office says so, too.';
  await reviewer.getByRole('textbox', { name: /comment/i }).fill(comment);
  await reviewer.getByRole('button', { name: /^Approve/ }).click();
  const proof = reviewer.getByRole('dialog', { name: 'Show that it is you' });
  await expect(proof).toBeVisible();
  await reviewer.keyboard.press('Escape'); // the person changes their mind, and nothing is lost
  await expect(proof).toBeHidden();
  await expect(reviewer.getByRole('textbox', { name: /comment/i })).toHaveValue(comment);
  await reviewer.getByRole('button', { name: /^Approve/ }).click();
  await proof.getByRole('button', { name: 'Use a passkey' }).click();
  await expect(reviewer.getByText(/^Approved\./)).toBeVisible();

  await reviewer.goto(`/dashboard/review/${project}/${collection}/${/entries\/(\d+)/.exec(author.url())![1]}?tab=record`);
  const record = reviewer.getByRole('complementary', { name: 'Decision and record' });
  await expect(record.getByText('Confirmed with a passkey')).toBeVisible();
  await expect(record.getByText(comment).filter({ visible: true })).toBeVisible();

  await reviewer.getByRole('button', { name: new RegExp(email) }).click();
  await reviewer.getByRole('menuitem', { name: 'Sign out' }).click();
  await reviewer.waitForURL(/sign-in/);
  await reviewer.getByRole('button', { name: 'Sign in with a passkey' }).click();
  await reviewer.waitForURL(/inbox/);
  await expect(reviewer.getByRole('button', { name: new RegExp(email) })).toBeVisible();
});

test('the buttons of a department do not move while its sections load', async ({ as }) => {
  const admin = await as('tenantAdmin');
  await admin.route('**/custom-roles', (route) => setTimeout(() => void route.continue(), 1500));
  const loaded = admin.waitForResponse('**/custom-roles');
  await admin.goto(`/dashboard/organisation/departments/${facts.departments.newsroom}`);
  const button = admin.getByRole('button', { name: 'Invite by e-mail' });
  await expect(button).toBeVisible();
  const before = await button.boundingBox();
  await loaded;
  await expect(admin.getByText('Legal', { exact: true }).first()).toBeVisible();
  expect(await button.boundingBox()).toEqual(before);
});
