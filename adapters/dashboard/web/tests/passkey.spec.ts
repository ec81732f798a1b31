import { createHash } from 'node:crypto';
import { violations } from './axe';
import { call, expect, facts, test } from './fixtures';
import { readFile } from 'node:fs/promises';
import { codeOf, person, withAuthenticator } from './identity';

/** Other tests sign in as the viewer with the password alone. */
test.afterEach(async ({ as }) => {
  const admin = await as('superAdmin');
  const { id } = (await call(admin, 'GET', `/api/users?tenantId=${facts.tenantId}&search=${encodeURIComponent(facts.users.viewer.email)}`)).data.find((user: { email: string }) => user.email === facts.users.viewer.email);
  await call(admin, 'DELETE', `/api/users/${id}/factors`);
});

// Chromium has an authenticator of its own for tests.
test('adds a passkey, signs in with it alone, and removes it', async ({ as }) => {
  const page = await as('viewer', { ownSession: true });
  await withAuthenticator(page);
  await page.goto('/dashboard/account');
  await page.getByRole('button', { name: 'Add a passkey' }).click();
  await expect(page.getByText('The passkey was added')).toBeVisible();
  await page.getByRole('button', { name: /^Rename the passkey/ }).click();
  await page.getByRole('dialog').getByLabel('Name').fill('Test key');
  await page.getByRole('dialog').getByRole('button', { name: 'Save' }).click();
  await expect(page.getByText('Test key', { exact: true })).toBeVisible();

  await page.context().clearCookies();
  await page.goto('/dashboard/account');
  await page.getByRole('button', { name: 'Sign in with a passkey' }).click();
  await expect(page).toHaveURL(`${facts.baseUrl}/dashboard/account`);
  await expect(page.getByText(/^Added .* last used/)).toBeVisible();

  // The password leads to the second step, which the passkey takes.
  await page.context().clearCookies();
  await page.goto('/dashboard/account');
  await page.getByLabel('E-mail').fill(facts.users.viewer.email);
  await page.getByLabel('Password').fill(facts.users.viewer.password);
  await page.getByRole('button', { name: 'Sign in', exact: true }).click();
  await page.getByRole('button', { name: 'Use a passkey' }).click();
  await expect(page).toHaveURL(`${facts.baseUrl}/dashboard/account`);
  await expect(page.getByText('Test key', { exact: true })).toBeVisible();

  await page.getByRole('button', { name: 'Remove the passkey Test key' }).click();
  await page.getByRole('dialog').getByRole('button', { name: 'Remove' }).click();
  await page.getByRole('dialog', { name: 'Show that it is you' }).getByRole('button', { name: 'Use a passkey' }).click();
  await expect(page.getByText('The passkey was removed')).toBeVisible();
  await expect(page.getByText('Test key', { exact: true })).toBeHidden();
});

test('sets up an authenticator app and shows the recovery codes once', async ({ as }) => {
  const page = await as('viewer', { ownSession: true });
  await page.goto('/dashboard/account');
  await page.getByRole('button', { name: 'Set up an authenticator app' }).click();
  const dialog = page.getByRole('dialog');
  await expect(dialog.getByRole('img', { name: 'QR code of the key' })).toBeVisible();
  await expect(dialog.getByRole('link', { name: 'Open in an authenticator app on this device' })).toHaveAttribute('href', /^otpauth:\/\/totp\//);
  const secret = /([A-Z2-7]{4} ){7}[A-Z2-7]{4}/.exec((await dialog.textContent())!)![0];
  await dialog.getByLabel('Code of the app').fill(codeOf(secret));
  await dialog.getByRole('button', { name: 'Confirm' }).click();
  const codes = page.getByRole('dialog', { name: 'Keep these codes' });
  await expect(codes.getByRole('listitem')).toHaveCount(10);
  const kept = `${(await codes.getByRole('listitem').allTextContents()).join('\n')}\n`;
  await page.context().grantPermissions(['clipboard-read', 'clipboard-write']);
  await codes.getByRole('button', { name: 'Copy' }).click();
  await expect(page.getByText('Copied')).toBeVisible();
  expect(await page.evaluate(() => navigator.clipboard.readText())).toBe(kept);
  const [download] = await Promise.all([page.waitForEvent('download'), codes.getByRole('link', { name: 'Download' }).click()]);
  expect(await readFile((await download.path())!, 'utf8')).toBe(kept);
  // The print has the codes alone.
  await page.emulateMedia({ media: 'print' });
  await expect(page.getByRole('heading')).toHaveText(['Recovery codes of Imprimatur']);
  await expect(page.getByRole('listitem')).toHaveCount(10);
  await expect(page.getByRole('button')).toHaveCount(0);
  expect((await page.pdf()).toString('latin1')).toContain('/Count 1');
  await page.emulateMedia({ media: null });
  await page.getByRole('button', { name: 'I have kept them' }).click();
  await expect(page.getByText('10 recovery codes are left.')).toBeVisible();
});

test('sets up a passkey as the required second step', async ({ as, visitor }) => {
  const [admin, page] = [await as('superAdmin'), await visitor()];
  await person(admin, page, 'Pia Sand');
  await withAuthenticator(page);
  await page.goto('/dashboard/second-factor?next=/dashboard/account');
  await page.getByRole('button', { name: 'Set up a passkey' }).click();
  await expect(page.getByRole('heading', { name: 'Keep these codes' })).toBeVisible();
  await expect(page.locator('.codes code')).toHaveCount(10);
  await page.getByRole('checkbox', { name: 'I have kept the codes' }).check();
  await page.getByRole('button', { name: 'Continue' }).click();
  await page.waitForURL(/\/account$/);
  await expect(page.getByText('Passkey 1', { exact: true })).toBeVisible();
  await expect(page.getByText('10 recovery codes are left.')).toBeVisible();

  // The device has a passkey now.
  await page.goto('/dashboard/second-factor');
  await page.getByRole('button', { name: 'Set up a passkey' }).click();
  await expect(page.getByRole('alert')).toHaveText('This device has a passkey of your account already.');
});

test('a decision is signed with a passkey, for this decision alone', async ({ as, visitor }) => {
  const admin = await as('superAdmin');
  const run = Date.now();
  const { id: project } = await call(admin, 'POST', `/api/tenants/${facts.tenantId}/projects`, { name: `Signed ${run}`, locales: ['en'] });
  const { id: collection } = await call(admin, 'POST', `/api/projects/${project}/collections`, { slug: 'notes', name: 'Notes', fields: [{ name: 'title', type: 'text', label: 'Title' }] });
  await call(admin, 'PUT', `/api/projects/${project}/approval-workflow`, { steps: [{ stepOrder: 1, stepLabel: 'Quality', requiredRoleKind: 'admin', signature: { meanings: ['I release this'] } }] });
  const content = `/api/projects/${project}/collections/${collection}/content`;
  const { id: entry } = await call(admin, 'POST', content, { fields: { title: `Batch ${run}` }, published: true });

  const page = await visitor();
  const { id, name } = await person(admin, page, 'Ada Key');
  await call(admin, 'PUT', `/api/projects/${project}/members/${id}`, { role: 'admin' });
  await withAuthenticator(page);
  await page.goto('/dashboard/account');
  await page.getByRole('button', { name: 'Add a passkey' }).click();
  await expect(page.getByText('The passkey was added')).toBeVisible();

  const review = `/dashboard/review/${project}/${collection}/${entry}`;
  await page.goto(review);
  await page.getByRole('button', { name: /^Approve/ }).click();
  const dialog = page.getByRole('dialog', { name: 'Sign the decision' });
  await expect(dialog.getByLabel('Password')).toHaveCount(0); // who has a passkey only signs with it
  expect(await violations(page)).toEqual([]);
  await dialog.getByRole('button', { name: 'Sign with a passkey' }).click();
  await expect(page.getByText(/^Approved\./)).toBeVisible();
  expect((await call(admin, 'GET', `${content}/${entry}`)).state).toBe('published');
  await page.goto(`${review}?tab=record`);
  await expect(page.getByText('Signed: “I release this”, with a passkey').first()).toBeVisible();

  // The record has what the authenticator signed: the SHA-256 of the payload.
  const { actions } = await call(page, 'GET', `${content}/${entry}/approval/audit`);
  const { signature } = actions.find((action: { type: string }) => action.type === 'approve');
  expect(signature).toMatchObject({ method: 'passkey', origin: facts.baseUrl });
  const client = JSON.parse(Buffer.from(signature.assertion.clientDataJSON, 'base64url').toString());
  expect(client).toMatchObject({ type: 'webauthn.get', origin: facts.baseUrl, challenge: createHash('sha256').update(signature.payload).digest('base64url') });
  expect(JSON.parse(signature.payload)).toMatchObject({ decision: 'approve', meaning: 'I release this', person: { id, name }, stepId: 1 });
});
