import { call, expect, facts, test } from './fixtures';
import { person } from './identity';
import { violations } from './axe';

test('a step asks for two approvals while another one is open with it', async ({ as, visitor }) => {
  const admin = await as('tenantAdmin');
  const run = Date.now();
  const { id: department } = await call(admin, 'POST', `/api/tenants/${facts.tenantId}/departments`, { name: `Board ${run}` });
  const { id: project } = await call(admin, 'POST', `/api/tenants/${facts.tenantId}/projects`, { name: `Minutes ${run}`, departmentId: department, locales: ['en'] });
  const { id: collection } = await call(admin, 'POST', `/api/projects/${project}/collections`, { slug: 'minutes', name: 'Minutes', fields: [{ name: 'title', type: 'text', label: 'Title' }] });
  await call(admin, 'PUT', `/api/departments/${department}/approval-workflow`, {
    steps: [
      { stepOrder: 1, stepLabel: 'Desk', requiredRoleKind: 'admin' },
      { stepOrder: 2, stepLabel: 'Board', requiredRoleKind: 'tenant_admin' },
    ],
  });

  await admin.goto(`/dashboard/organisation/departments/${department}`);
  await admin.getByRole('button', { name: 'Change Desk' }).click();
  await admin.getByLabel('Approvals').fill('2');
  await admin.getByRole('button', { name: 'Change Board' }).click();
  await admin.getByRole('checkbox', { name: 'Open together with the step before' }).focus();
  await admin.keyboard.press('Space');
  expect(await violations(admin)).toEqual([]);
  await admin.getByRole('button', { name: 'Save the workflow' }).click();
  await expect(admin.getByText('The workflow was saved.')).toBeVisible();
  const { steps } = await call(admin, 'GET', `/api/departments/${department}/approval-workflow`);
  expect(steps).toMatchObject([{ stepId: 1, stepOrder: 1, approvals: 2 }, { stepId: 2, stepOrder: 1, approvals: 1 }]);

  const author = await as('editor');
  await call(admin, 'PUT', `/api/projects/${project}/members/${(await call(author, 'GET', '/api/session')).id}`, { role: 'editor' });
  const { id: entry } = await call(author, 'POST', `/api/projects/${project}/collections/${collection}/content`, { fields: { title: `Minutes of ${run}` }, published: true });
  const review = `/dashboard/review/${project}/${collection}/${entry}`;
  await admin.goto(review); // an admin of the organisation may decide both steps
  await expect(admin.getByRole('button', { name: /Decide for/ })).toContainText('Desk');
  await admin.getByRole('button', { name: /Decide for/ }).click();
  await admin.getByRole('option', { name: 'Board' }).click();
  await expect(admin.getByRole('button', { name: /Decide for/ })).toContainText('Board');
  const owner = await as('superAdmin');
  for (const [approved, name] of ['Ann Desk', 'Ben Desk'].entries()) {
    const page = await visitor();
    const { id } = await person(owner, page, name);
    await call(admin, 'PUT', `/api/projects/${project}/members/${id}`, { role: 'admin' });
    await page.goto(review);
    const panel = page.getByRole('complementary', { name: 'Decision and record' });
    await expect(panel).toContainText(`${approved} of 2 approvals.`);
    await expect(panel).toContainText('Then it waits for further approvals.');
    if (approved === 0) expect(await violations(page)).toEqual([]);
    await panel.getByRole('button', { name: /^Approve/ }).click();
    await expect(page.getByText(/^Approved\./)).toBeVisible();
    if (approved === 0) {
      await page.goto(review);
      await expect(panel).toContainText('You have approved. The request waits for other people.');
    }
  }
  await admin.goto(review);
  const panel = admin.getByRole('complementary', { name: 'Decision and record' });
  await expect(panel).toContainText('Ann Desk approved');
  await panel.getByRole('button', { name: /^Approve/ }).click();
  await expect(admin.getByText(/^Approved\./)).toBeVisible();
  expect((await call(author, 'GET', `/api/projects/${project}/collections/${collection}/content/${entry}`)).state).toBe('published');
});

test('a step is only for some changes, and a request shows that it skips the step', async ({ as }) => {
  const admin = await as('superAdmin');
  const run = Date.now();
  const { id: project } = await call(admin, 'POST', `/api/tenants/${facts.tenantId}/projects`, { name: `Notes ${run}`, locales: ['en'] });
  const { id: collection } = await call(admin, 'POST', `/api/projects/${project}/collections`, { slug: 'notes', name: 'Notes', fields: [{ name: 'title', type: 'text', label: 'Title' }] });
  await call(admin, 'PUT', `/api/projects/${project}/approval-workflow`, {
    steps: [
      { stepOrder: 1, stepLabel: 'Desk', requiredRoleKind: 'admin' },
      { stepOrder: 2, stepLabel: 'Board', requiredRoleKind: 'tenant_admin' },
    ],
  });
  await admin.goto(`/dashboard/projects/${project}/workflow`);
  await admin.getByRole('button', { name: 'Change Board' }).click();
  await admin.getByRole('checkbox', { name: 'Only for some changes' }).focus();
  await admin.keyboard.press('Space');
  await admin.getByRole('button', { name: 'Save the workflow' }).click();
  await expect(admin.getByText('Choose at least one limit.')).toBeVisible();
  await admin.getByLabel('In collections').fill('other,');
  await admin.getByRole('checkbox', { name: 'Taking offline' }).focus();
  await admin.keyboard.press('Space');
  expect(await violations(admin)).toEqual([]);
  await admin.getByRole('button', { name: 'Save the workflow' }).click();
  await expect(admin.getByText('The workflow was saved.')).toBeVisible();
  await expect(admin.getByText('Only for: taking offline; in other')).toBeVisible();
  const { steps } = await call(admin, 'GET', `/api/projects/${project}/approval-workflow`);
  expect(steps[1].when).toEqual({ collections: ['other'], actions: ['unpublish'] });

  const { id: entry } = await call(admin, 'POST', `/api/projects/${project}/collections/${collection}/content`, { fields: { title: `Note ${run}` }, published: true });
  await admin.goto(`/dashboard/review/${project}/${collection}/${entry}`);
  const panel = admin.getByRole('complementary', { name: 'Decision and record' });
  await expect(panel).toContainText('Skipped. It is only for: taking offline; in other');
  expect(await violations(admin)).toEqual([]);
  await panel.getByRole('button', { name: /^Approve/ }).click();
  await expect(admin.getByText(/^Approved\./)).toBeVisible();
  expect((await call(admin, 'GET', `/api/projects/${project}/collections/${collection}/content/${entry}`)).state).toBe('published');
});

test('a collection needs no review, and a workflow is tried before it is saved', async ({ as }) => {
  const admin = await as('superAdmin');
  const run = Date.now();
  const { id: project } = await call(admin, 'POST', `/api/tenants/${facts.tenantId}/projects`, { name: `Shelf ${run}`, locales: ['en'] });
  const [notes, tags] = await Promise.all(
    ['notes', 'tags'].map(async (slug) => (await call(admin, 'POST', `/api/projects/${project}/collections`, { slug, name: slug, fields: [{ name: 'title', type: 'text', label: 'Title' }] })).id),
  );
  await call(admin, 'PUT', `/api/projects/${project}/approval-workflow`, { allowSelfApproval: false, steps: [{ stepOrder: 1, stepLabel: 'Desk', requiredRoleKind: 'admin' }] });
  const title = `Lantern${run}`;
  await call(admin, 'POST', `/api/projects/${project}/collections/${notes}/content`, { fields: { title } });
  const { id: tag } = await call(admin, 'POST', `/api/projects/${project}/collections/${tags}/content`, { fields: { title: `Tag ${run}` } });

  await admin.goto(`/dashboard/projects/${project}/workflow`);
  await admin.getByLabel('Collections without review').fill('tags,');
  await admin.getByRole('button', { name: 'Change Desk' }).click();
  await admin.getByLabel('Approvals').fill('2');
  await admin.getByRole('button', { name: 'Try it' }).click();
  const dialog = admin.getByRole('dialog', { name: 'Try the workflow' });
  await dialog.getByLabel('Find an entry').fill(title);
  await dialog.getByRole('button', { name: `Try ${title}` }).click();
  const result = dialog.getByRole('region', { name: `Who decides “${title}”` });
  await expect(result).toContainText('Desk');
  await expect(result).toContainText('2 approvals');
  await expect(result).toContainText('Nobody can decide it:');
  expect(await violations(admin)).toEqual([]);
  await dialog.getByRole('button', { name: 'Close', exact: true }).last().click();
  expect((await call(admin, 'GET', `/api/projects/${project}/approval-workflow`)).steps[0].approvals).toBe(1);
  await admin.getByLabel('Approvals').fill('1');
  await admin.getByRole('button', { name: 'Save the workflow' }).click();
  await expect(admin.getByText('The workflow was saved.')).toBeVisible();
  expect((await call(admin, 'GET', `/api/projects/${project}/approval-workflow`)).exempt).toEqual({ collections: ['tags'] });

  await admin.goto(`/dashboard/projects/${project}/collections/${tags}/entries/${tag}`);
  await expect(admin.getByText('The workflow of the project exempts this collection.')).toBeVisible();
  await admin.getByRole('button', { name: 'Publish now' }).click();
  await expect.poll(async () => (await call(admin, 'GET', `/api/projects/${project}/collections/${tags}/content/${tag}`)).state).toBe('published');
});

test('an entry goes offline by a review, and by an admin in an emergency', async ({ as }) => {
  const admin = await as('superAdmin');
  const run = Date.now();
  const { id: department } = await call(admin, 'POST', `/api/tenants/${facts.tenantId}/departments`, { name: `Lights ${run}` });
  const { id: project } = await call(admin, 'POST', `/api/tenants/${facts.tenantId}/projects`, { name: `Lights ${run}`, departmentId: department, locales: ['en'] });
  const { id: collection } = await call(admin, 'POST', `/api/projects/${project}/collections`, { slug: 'notes', name: 'Notes', fields: [{ name: 'title', type: 'text', label: 'Title' }] });
  await call(admin, 'PUT', `/api/projects/${project}/approval-workflow`, { steps: [{ stepOrder: 1, stepLabel: 'Desk', requiredRoleKind: 'admin' }] });
  await admin.goto(`/dashboard/projects/${project}/workflow`);
  await admin.getByRole('button', { name: /Who takes published entries offline/ }).click();
  await admin.getByRole('option', { name: 'A review, and admins in an emergency' }).click();
  await admin.getByRole('button', { name: 'Save the workflow' }).click();
  await expect(admin.getByText('The workflow was saved.')).toBeVisible();

  const author = await as('editor');
  await call(admin, 'PUT', `/api/projects/${project}/members/${(await call(author, 'GET', '/api/session')).id}`, { role: 'editor' });
  const content = `/api/projects/${project}/collections/${collection}/content`;
  const { id: entry } = await call(author, 'POST', content, { fields: { title: `Light ${run}` }, published: true });
  await call(admin, 'POST', `${content}/${entry}/approval/approve`, {});
  const page = `/dashboard/projects/${project}/collections/${collection}/entries/${entry}`;
  await author.goto(page);
  await expect(author.getByText('A review decides what goes offline here: add the entry to a release that takes it offline.')).toBeVisible();
  await expect(author.getByRole('button', { name: 'Unpublish' })).toHaveCount(0);
  await admin.goto(page);
  await admin.getByRole('button', { name: 'Unpublish' }).click();
  const dialog = admin.getByRole('dialog');
  await dialog.getByLabel('Why it cannot wait').fill('A court order.');
  expect(await violations(admin)).toEqual([]);
  await dialog.getByRole('button', { name: 'Unpublish' }).click();
  await expect.poll(async () => (await call(admin, 'GET', `${content}/${entry}`)).state).toBe('draft');
});

test('a step has a deadline, and others may decide it when it has been open for long', async ({ as }) => {
  const admin = await as('superAdmin');
  const run = Date.now();
  const { id: project } = await call(admin, 'POST', `/api/tenants/${facts.tenantId}/projects`, { name: `Clocks ${run}`, locales: ['en'] });
  const { id: collection } = await call(admin, 'POST', `/api/projects/${project}/collections`, { slug: 'notes', name: 'Notes', fields: [{ name: 'title', type: 'text', label: 'Title' }] });
  await call(admin, 'PUT', `/api/projects/${project}/approval-workflow`, { steps: [{ stepOrder: 1, stepLabel: 'Desk', requiredRoleKind: 'admin' }] });
  await admin.goto(`/dashboard/projects/${project}/workflow`);
  await admin.getByRole('button', { name: 'Change Desk' }).click();
  await admin.getByLabel('Overdue after').fill('2161');
  await admin.getByRole('checkbox', { name: 'Let others decide, too, if it takes long' }).focus();
  await admin.keyboard.press('Space');
  await admin.getByRole('button', { name: 'Save the workflow' }).click();
  await expect(admin.getByText('Enter a whole number: at least 1 hour, at most 90 days.')).toBeVisible();
  await admin.getByLabel('Overdue after').fill('48');
  expect(await violations(admin)).toEqual([]);
  await admin.getByRole('button', { name: 'Save the workflow' }).click();
  await expect(admin.getByText('The workflow was saved.')).toBeVisible();
  const { steps } = await call(admin, 'GET', `/api/projects/${project}/approval-workflow`);
  expect(steps[0]).toMatchObject({ dueIn: 48, escalate: { after: 72, requiredRoleKind: 'tenant_admin' } });
  await expect(admin.getByText('Overdue after 2 days')).toBeVisible();
  await expect(admin.getByText(/^After 3 days also:/)).toBeVisible();

  const { id: entry } = await call(admin, 'POST', `/api/projects/${project}/collections/${collection}/content`, { fields: { title: `Clock ${run}` }, published: true });
  await admin.goto(`/dashboard/review/${project}/${collection}/${entry}`);
  const panel = admin.getByRole('complementary', { name: 'Decision and record' });
  await expect(panel.getByText(/^Due /)).toBeVisible();
  await expect(panel.getByText(/^Also for .* from /)).toBeVisible();
  expect(await violations(admin)).toEqual([]);
  await admin.goto(`/dashboard/inbox?project=${project}`);
  await expect(admin.getByRole('link', { name: new RegExp(`Clock ${run}`) })).toContainText('Due');
  await admin.getByRole('button', { name: 'Oldest first' }).click();
  await admin.getByRole('menuitemradio', { name: 'By deadline' }).click();
  await expect(admin).toHaveURL(/sort=due/);
  await expect(admin.getByRole('link', { name: new RegExp(`Clock ${run}`) })).toBeVisible();
  await admin.getByRole('button', { name: 'Overdue', exact: true }).click();
  await expect(admin.getByText('Nothing in this project')).toBeVisible();
  expect(await violations(admin)).toEqual([]);
});

test('a decision is signed with a meaning, and the record can be printed', async ({ as, visitor }) => {
  const admin = await as('superAdmin');
  const run = Date.now();
  const { id: project } = await call(admin, 'POST', `/api/tenants/${facts.tenantId}/projects`, { name: `Batches ${run}`, locales: ['en'] });
  const { id: collection } = await call(admin, 'POST', `/api/projects/${project}/collections`, { slug: 'notes', name: 'Notes', fields: [{ name: 'title', type: 'text', label: 'Title' }] });
  await call(admin, 'PUT', `/api/projects/${project}/approval-workflow`, { steps: [{ stepOrder: 1, stepLabel: 'Quality', requiredRoleKind: 'admin' }] });
  await admin.goto(`/dashboard/projects/${project}/workflow`);
  await admin.getByRole('button', { name: 'Change Quality' }).click();
  await admin.getByLabel('Signatures can mean').fill('I reviewed this for accuracy\nI release this');
  expect(await violations(admin)).toEqual([]);
  await admin.getByRole('button', { name: 'Save the workflow' }).click();
  await expect(admin.getByText('The workflow was saved.')).toBeVisible();
  const { steps } = await call(admin, 'GET', `/api/projects/${project}/approval-workflow`);
  expect(steps[0].signature).toEqual({ meanings: ['I reviewed this for accuracy', 'I release this'] });

  const { id: entry } = await call(admin, 'POST', `/api/projects/${project}/collections/${collection}/content`, { fields: { title: `Batch ${run}` }, published: true });
  const page = await visitor();
  const { id, password } = await person(admin, page, 'Ada Quality');
  await call(admin, 'PUT', `/api/projects/${project}/members/${id}`, { role: 'admin' });
  const review = `/dashboard/review/${project}/${collection}/${entry}`;
  await page.goto(review);
  await page.getByRole('button', { name: /^Approve/ }).click();
  const dialog = page.getByRole('dialog', { name: 'Sign the decision' });
  await dialog.getByLabel('Password').fill('wrong wrong wrong');
  await dialog.getByRole('button', { name: 'Sign', exact: true }).click();
  await expect(dialog.getByText('Choose what it means').last()).toBeVisible();
  await dialog.getByRole('button', { name: /What your signature means/ }).click();
  await page.getByRole('option', { name: 'I release this' }).click();
  expect(await violations(page)).toEqual([]);
  await dialog.getByRole('button', { name: 'Sign', exact: true }).click();
  await expect(dialog.getByText('The password is wrong.')).toBeVisible();
  await dialog.getByLabel('Password').fill(password);
  await dialog.getByRole('button', { name: 'Sign', exact: true }).click();
  await expect(page.getByText(/^Approved\./)).toBeVisible();
  expect((await call(admin, 'GET', `/api/projects/${project}/collections/${collection}/content/${entry}`)).state).toBe('published');
  await page.goto(`${review}?tab=record`);
  await expect(page.getByText('Signed: “I release this”, with the password').first()).toBeVisible();
  await expect(page.getByRole('button', { name: 'Print the record' })).toBeVisible();
  await page.emulateMedia({ media: 'print' });
  await expect(page.locator('[data-print]')).toContainText('I release this, with the password');
  await expect(page.locator('[data-print]')).toContainText('RoleAdmin of the project');
});

test('the calendar shows a request that nobody decided in time, on the day of its time', async ({ as }) => {
  const admin = await as('superAdmin');
  const run = Date.now();
  const { id: project } = await call(admin, 'POST', `/api/tenants/${facts.tenantId}/projects`, { name: `Late ${run}`, locales: ['en'] });
  const { id: collection } = await call(admin, 'POST', `/api/projects/${project}/collections`, { slug: 'notes', name: 'Notes', fields: [{ name: 'title', type: 'text', label: 'Title' }] });
  await call(admin, 'PUT', `/api/projects/${project}/approval-workflow`, { steps: [{ stepOrder: 1, stepLabel: 'Desk', requiredRoleKind: 'admin' }] });
  const content = `/api/projects/${project}/collections/${collection}/content`;
  const { id: entry } = await call(admin, 'POST', content, { fields: { title: `Embargo ${run}` }, published: true, publishAt: new Date(Date.now() + 2000).toISOString() });
  await expect.poll(async () => (await call(admin, 'GET', `${content}/${entry}/approval`)).overdue).toBe(true);
  await admin.goto(`/dashboard/calendar?project=${project}`);
  const item = admin.getByRole('gridcell').getByRole('link', { name: new RegExp(`Embargo ${run}`) });
  await expect(item).toContainText('Review is overdue');
  await expect(admin.getByRole('link', { name: '1 request that waits for you is overdue.' })).toBeVisible();
  expect(await violations(admin)).toEqual([]);
  await admin.setViewportSize({ width: 390, height: 844 });
  await expect(admin.getByRole('listitem').getByRole('link', { name: new RegExp(`Embargo ${run}`) })).toBeVisible();
  expect(await violations(admin)).toEqual([]);
  await admin.setViewportSize({ width: 1280, height: 800 });
  await item.click();
  await expect(admin).toHaveURL(new RegExp(`/review/${project}/${collection}/${entry}`));
});
