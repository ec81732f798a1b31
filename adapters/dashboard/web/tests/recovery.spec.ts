import { randomUUID } from 'node:crypto';
import { call, expect, test } from './fixtures';
import { codeOf, linksTo, mailsTo, person, signInAs } from './identity';

const phone = { locale: 'de-DE', viewport: { width: 390, height: 844 }, javaScriptEnabled: false };

test('a forgotten password is replaced on a phone without scripts, and the second step is still asked for', async ({ as, visitor }) => {
  const [admin, page] = [await as('superAdmin'), await visitor(phone)];
  const forgetful = await person(admin, page, 'Frida Sand');
  const { secret } = await call(page, 'POST', '/api/me/totp');
  await call(page, 'POST', '/api/me/totp/confirm', { code: codeOf(secret) });
  await page.context().clearCookies();

  await page.goto('/dashboard/sign-in');
  await page.getByRole('link', { name: 'Passwort vergessen?' }).click();
  await page.getByLabel('E-Mail').fill(forgetful.email.toUpperCase());
  await page.keyboard.press('Enter');
  await expect(page.getByRole('heading', { name: 'Sehen Sie in Ihr Postfach' })).toBeVisible();
  const [link] = await linksTo(admin, forgetful.email, 'reset');

  await page.goto(link!);
  await expect(page.getByText(forgetful.email)).toBeVisible();
  await page.getByLabel('Neues Passwort').fill('password123');
  await page.keyboard.press('Enter');
  await expect(page.getByRole('alert')).not.toBeEmpty();
  const fresh = randomUUID();
  await page.getByLabel('Neues Passwort').fill(fresh);
  await page.keyboard.press('Enter');
  await expect(page.getByRole('heading', { name: 'Zweiter Schritt' })).toBeVisible();
  await page.getByLabel('Code Ihrer').fill(codeOf(secret, 30));
  await page.keyboard.press('Enter');
  await page.waitForURL(/\/dashboard\/$/);
  expect(await call(page, 'GET', '/api/session')).toMatchObject({ email: forgetful.email });

  expect((await page.goto(link!))!.status()).toBe(410);
  await expect(page.getByRole('alert')).toContainText('Dieser Link gilt nicht');
  await page.getByRole('link', { name: 'Zur Anmeldung' }).click();
  await page.waitForURL(/sign-in/);
  await page.context().clearCookies();
  await page.goto('/dashboard/sign-in');
  await signInAs(page, forgetful);
  await expect(page.getByRole('alert')).not.toBeEmpty();
});

test('a lost phone: a recovery code signs in once, new codes replace the old ones', async ({ as, visitor }) => {
  const [admin, page] = [await as('superAdmin'), await visitor()];
  const loser = await person(admin, page, 'Lena Sand');
  const { secret } = await call(page, 'POST', '/api/me/totp');
  const { recoveryCodes } = await call(page, 'POST', '/api/me/totp/confirm', { code: codeOf(secret) });

  /** Signs in with the password and a recovery code. */
  const recover = async (code: string) => {
    await page.context().clearCookies();
    await page.goto('/dashboard/account');
    await signInAs(page, loser);
    await page.getByText('Use a recovery code').click();
    await page.getByLabel('Recovery code').fill(code);
    await page.keyboard.press('Enter');
  };
  await recover(recoveryCodes[0]);
  await page.waitForURL(/\/account$/);
  await expect(page.getByText('9 recovery codes are left.')).toBeVisible();
  await page.getByRole('button', { name: 'Make new recovery codes' }).click(); // the sign-in is a fresh proof
  const codes = page.getByRole('dialog', { name: 'Keep these codes' });
  await expect(codes.getByRole('listitem')).toHaveCount(10);
  const fresh = await codes.getByRole('listitem').allTextContents();
  await codes.getByRole('button', { name: 'I have kept them' }).click();
  await expect(page.getByText('10 recovery codes are left.')).toBeVisible();

  for (const used of [recoveryCodes[0], recoveryCodes[1]]) {
    await recover(used);
    await expect(page.getByRole('alert')).not.toBeEmpty();
  }
  await recover(fresh[0]!);
  await page.waitForURL(/\/account$/);
  await expect(page.getByText('9 recovery codes are left.')).toBeVisible();
});

test('a changed address is confirmed from the new one and told to the old one', async ({ as, visitor }) => {
  const [admin, page] = [await as('superAdmin'), await visitor()];
  const mover = await person(admin, page, 'Mona Sand');
  const address = `mona.new-${randomUUID()}@meridian.example`;
  await page.goto('/dashboard/account');
  // Five minutes after the sign-in, the API asks for a proof.
  await page.route('**/api/me/email', (route) => route.fulfill({ status: 403, json: { status: 403, code: 'verify_first', title: 'Forbidden' } }), { times: 1 });
  await page.getByLabel('New address').fill(address);
  await page.getByRole('button', { name: 'Send the link' }).click();
  const proof = page.getByRole('dialog', { name: 'Show that it is you' });
  await expect(proof.getByLabel('Password')).toBeFocused();
  await expect(proof).toContainText('To change your address, you need a fresh proof');
  await page.keyboard.type(mover.password);
  await page.keyboard.press('Enter');
  await expect(page.getByText(`A link was sent to ${address}`)).toBeVisible();
  const [link] = await linksTo(admin, address, 'address');

  await page.goto(link!);
  await expect(page.getByText(address)).toBeVisible();
  await page.getByRole('button', { name: 'Confirm' }).click();
  await expect(page.getByText('has changed')).toBeVisible();
  await expect.poll(async () => (await mailsTo(admin, mover.email)).some((mail) => mail.includes(address))).toBe(true);
  await page.context().clearCookies();
  await page.goto('/dashboard/account');
  await signInAs(page, { email: address, password: mover.password });
  await page.waitForURL(/\/account$/);
  await expect(page.getByText(address).first()).toBeVisible();
});
