import { expect, facts, test } from './fixtures';

// Chromium has an authenticator of its own for tests.
test('adds a passkey, signs in with it alone, and is asked for it again before removing it', async ({ as }) => {
  const page = await as('viewer', { ownSession: true });
  const devtools = await page.context().newCDPSession(page);
  await devtools.send('WebAuthn.enable');
  await devtools.send('WebAuthn.addVirtualAuthenticator', {
    options: { protocol: 'ctap2', transport: 'internal', hasResidentKey: true, hasUserVerification: true, isUserVerified: true, automaticPresenceSimulation: true },
  });
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
  await expect(page.getByText('last used')).toBeVisible();

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
  await expect(page.getByRole('dialog', { name: 'Show that it is you' }).getByRole('button', { name: 'Use a passkey' })).toBeVisible();
  await expect(page.getByText('Test key', { exact: true })).toBeVisible();
});
