import type { Browser } from '@playwright/test';
import { randomUUID } from 'node:crypto';
import { call, expect, facts, test } from './fixtures';
import { codeOf, mailsTo, person } from './identity';

/** A page of a phone without scripts, in German, at the second step after the password. */
async function atSecondStep(browser: Browser, email: string, password: string) {
  const context = await browser.newContext({ baseURL: facts.baseUrl, locale: 'de-DE', viewport: { width: 390, height: 844 }, javaScriptEnabled: false });
  const page = await context.newPage();
  await page.goto('/dashboard/sign-in?next=/dashboard/account');
  await page.getByLabel('E-Mail').pressSequentially(email);
  await page.keyboard.press('Tab');
  await page.keyboard.type(password);
  await page.keyboard.press('Enter');
  return page;
}

test('sets up a second step on a phone, by keyboard, loses it, and is helped by an admin', async ({ as, browser }) => {
  const admin = await as('superAdmin');
  const email = `greta-${randomUUID()}@meridian.example`;
  const [first, password] = [randomUUID(), randomUUID()];
  await call(admin, 'POST', '/api/users', { email, name: 'Greta Sand', password: first, tenantId: facts.tenantId });

  let page = await atSecondStep(browser, email, first);
  await page.getByLabel('Aktuelles Passwort').fill(first);
  await page.getByLabel('Neues Passwort').fill(password);
  await page.keyboard.press('Enter');
  await page.waitForURL(/\/account$/);

  await page.goto('/dashboard/second-factor?next=/dashboard/account');
  await page.getByRole('button', { name: 'Authenticator-App einrichten' }).press('Enter');
  await expect(page.locator('.qr svg')).toBeVisible();
  const secret = (await page.locator('code').textContent())!;
  expect(secret).toMatch(/^([A-Z2-7]{4} ){7}[A-Z2-7]{4}$/);
  const key = secret.replaceAll(' ', '');
  await expect(page.getByRole('link', { name: 'In einer Authenticator-App auf diesem Gerät öffnen' })).toHaveAttribute('href', new RegExp(`^otpauth://totp/.*secret=${key}$`));
  await page.getByLabel('Code').pressSequentially('123');
  await page.keyboard.press('Enter');
  await expect(page.getByRole('alert')).toContainText('nicht der Code der App');
  await expect(page.locator('.qr svg')).toBeVisible(); // the key is still there
  await expect(page.locator('code')).toHaveText(secret);
  await page.getByLabel('Code').pressSequentially(codeOf(secret));
  await page.keyboard.press('Enter');
  await expect(page.locator('.codes code')).toHaveCount(10);
  const codes = await page.locator('.codes code').allTextContents();
  await page.getByRole('button', { name: 'Weiter' }).press('Enter');
  await expect(page.getByRole('checkbox', { name: 'Ich habe die Codes aufbewahrt' })).toBeFocused(); // it is required
  await page.keyboard.press('Space');
  await page.getByRole('button', { name: 'Weiter' }).press('Enter');
  await page.waitForURL(/\/account$/);
  await page.context().close();

  page = await atSecondStep(browser, email, password);
  await expect(page.getByRole('heading', { name: 'Zweiter Schritt' })).toBeVisible();
  await page.getByLabel('Code Ihrer').pressSequentially('000000');
  await page.keyboard.press('Enter');
  await expect(page.getByRole('alert')).toContainText('Der Code ist falsch');
  await page.getByLabel('Code Ihrer').pressSequentially(codeOf(secret, 30)); // the one that confirmed the app counts no more
  await page.keyboard.press('Enter');
  await page.waitForURL(/\/account$/);
  await page.context().close();

  for (const known of [true, false]) {
    page = await atSecondStep(browser, email, password);
    await page.getByText('Einen Wiederherstellungscode benutzen').press('Enter');
    await page.getByLabel('Wiederherstellungscode').fill(codes[0]!);
    await page.keyboard.press('Enter');
    if (known) await page.waitForURL(/\/account$/);
    else await expect(page.getByRole('alert')).toContainText('wurde schon benutzt');
    await page.context().close();
  }

  await admin.goto(`/dashboard/organisation/users?search=${email}`);
  await expect(admin.getByText('Second step: app')).toBeVisible();
  await admin.getByRole('button', { name: 'Actions for Greta Sand' }).click();
  await admin.getByRole('menuitem', { name: 'Remove the second step' }).click();
  await admin.getByRole('dialog').getByRole('button', { name: 'Remove the second step' }).click();
  await expect(admin.getByText('No second step')).toBeVisible();
  await admin.setViewportSize({ width: 390, height: 844 });
  const left = async (text: RegExp) => (await admin.getByText(text).first().boundingBox())!.x;
  expect(await left(/^No second step/)).toBe(await left(new RegExp(email))); // facts begin at one edge on a phone
  const removed = async () => (await mailsTo(admin, email)).find((mail) => /has removed a second factor/.test(mail));
  await expect.poll(removed).toContain('Ada');
  expect(await removed()).toMatch(/When.*UTC/s);
  page = await atSecondStep(browser, email, password);
  await page.waitForURL(/\/account$/);
  await page.context().close();
});

test('a second step is required from a day ahead, after a question that counts the accounts without one', async ({ as, visitor }) => {
  const [superAdmin, page] = [await as('superAdmin'), await visitor({ locale: 'de-DE', viewport: { width: 390, height: 844 } })];
  const { id } = await call(superAdmin, 'POST', '/api/tenants', { name: `Nordlicht ${randomUUID()}` });
  for (const name of ['Nele Sand', 'Nils Sand']) await call(superAdmin, 'POST', '/api/users', { email: `${randomUUID()}@nordlicht.example`, name, password: randomUUID(), tenantId: id });
  const admin = await person(superAdmin, page, 'Nora Sand');
  await call(superAdmin, 'PUT', `/api/tenants/${id}/members/${admin.id}`, { role: 'tenant_admin' });

  await page.goto(`/dashboard/organisation/tenants/${id}`);
  await page.getByRole('button', { name: /Zweiter Schritt beim Anmelden/ }).click();
  await page.getByRole('option', { name: 'Pflicht ab einem Tag' }).click();
  const required = page.getByRole('group', { name: 'Pflicht ab' });
  await expect(required).toBeVisible();
  const general = page.locator('section').filter({ has: required });
  await general.getByRole('button', { name: 'Speichern', exact: true }).last().click();
  const question = page.getByRole('dialog', { name: /^Zweiten Schritt ab .* verlangen\?$/ });
  await expect(question).toContainText('2 von 2 aktiven Konten der Organisation haben noch keinen zweiten Schritt.');
  const day = new Date(Date.now() + 28 * 86_400_000).toISOString().slice(0, 10);
  await expect(question).toContainText(/Wer keinen hat, muss ihn bis .*0[12]:00 Ihrer Zeitzone \(Mitternacht UTC\) einrichten/); // in Oslo
  await expect(question).toContainText('Sie selbst haben noch keinen.');
  await question.getByRole('button', { name: 'Abbrechen' }).click();
  expect((await call(superAdmin, 'GET', `/api/tenants/${id}`)).requireSecondFactor).toBeNull();
  await general.getByRole('button', { name: 'Speichern', exact: true }).last().click();
  await question.getByRole('button', { name: 'Verlangen' }).click();
  await expect(question).toBeHidden();
  await expect.poll(async () => (await call(superAdmin, 'GET', `/api/tenants/${id}`)).requireSecondFactor?.from.slice(0, 10)).toBe(day);
});
