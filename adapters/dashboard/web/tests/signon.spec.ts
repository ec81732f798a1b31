import type { Page } from '@playwright/test';
import { randomUUID } from 'node:crypto';
import { violations } from './axe';
import { call, expect, expectFault, facts, test } from './fixtures';
import { clientId, clientSecret, openId, type OpenId } from './openid';

const providers = `/api/tenants/${facts.tenantId}/identity-providers`;
const page = (id: number) => `/dashboard/organisation/tenants/${facts.tenantId}?provider=${id}`;

let provider: OpenId;
test.beforeAll(async () => void (provider = await openId()));
test.afterAll(() => provider.close());

// A provider that is on changes the sign-in page of all tests.
test.afterEach(async ({ as }) => {
  const admin = await as('tenantAdmin');
  const { data } = await call(admin, 'GET', providers);
  for (const { id } of data) await call(admin, 'DELETE', `${providers}/${id}`);
});

/** Requests to the provider. */
const atProvider = () => new RegExp(`^request: ${provider.url}/`);

/** Adds a provider that has a domain of its own, which it claims. */
async function added(admin: Page, superAdmin: Page, change: { issuer?: string; secondFactor?: string } = {}) {
  const domain = `${randomUUID()}.example`;
  const made = await call(admin, 'POST', providers, { name: 'Meridian staff', issuer: provider.url, clientId, clientSecret, domains: [domain], ...change });
  await call(superAdmin, 'POST', `${providers}/${made.id}/domains`, { domain, means: 'admin' });
  return { id: made.id as number, domain };
}

/** Tries a provider on its page, and switches it on. */
async function switchOn(admin: Page, id: number) {
  await admin.goto(page(id));
  const opening = admin.waitForEvent('popup');
  await admin.getByRole('button', { name: 'Try it' }).click();
  const tab = await opening;
  await tab.waitForURL(/\/sso\/\d+\/callback/);
  await expect(tab.getByRole('heading', { name: 'What the identity provider says' })).toBeVisible();
  await tab.close();
  await admin.reload();
  await admin.getByRole('button', { name: 'Switch on' }).click();
  await expect(admin.getByText('The identity provider is on.')).toBeVisible();
}

test('an identity provider is added, tried and switched on, and signs a person in', async ({ as, visitor }) => {
  const admin = await as('tenantAdmin');
  const superAdmin = await as('superAdmin');
  const domain = `${randomUUID()}.example`;
  provider.person = { sub: 'lena', email: `lena@${domain}`, email_verified: true, name: 'Lena Staff', groups: ['editors'] };
  await admin.goto(`/dashboard/organisation/tenants/${facts.tenantId}`);
  await expect(admin.getByText('No identity provider yet')).toBeVisible();
  expect(await violations(admin)).toEqual([]);

  await admin.getByRole('button', { name: 'Add an identity provider' }).click();
  const dialog = admin.getByRole('dialog');
  await dialog.getByLabel('Name', { exact: true }).fill('Meridian staff');
  await dialog.getByLabel('Issuer').fill('https://login.microsoftonline.com/common/v2.0');
  await dialog.getByLabel('Client ID').fill(clientId);
  await dialog.getByLabel('Client secret').fill(clientSecret);
  await dialog.getByLabel('Domains').fill('gmail.com,');
  expect(await violations(admin)).toEqual([]);
  await dialog.getByRole('button', { name: 'Add as a draft' }).click();
  await expect(dialog.getByLabel('Issuer')).toBeFocused();
  await expect(dialog.getByLabel('Issuer')).toHaveAccessibleDescription(/one organisation/);
  await expect(dialog.getByLabel('Domains')).toHaveAccessibleDescription(/anybody can have an address/);
  await dialog.getByLabel('Issuer').fill(provider.url);
  await dialog.getByRole('button', { name: 'Remove gmail.com' }).click();
  await dialog.getByLabel('Domains').fill(`${domain},`);
  await dialog.getByRole('button', { name: 'Add as a draft' }).click();
  await expect(admin.getByRole('heading', { name: 'Meridian staff', level: 1 })).toBeVisible();
  const id = Number(new URL(admin.url()).searchParams.get('provider'));
  await expect(admin.getByText(`${facts.baseUrl}/sso/${id}/callback`)).toBeVisible();
  await expect(admin.getByRole('button', { name: 'Switch on' })).toBeDisabled();

  // The domain has no record. A super admin vouches for it.
  const row = admin.getByRole('list', { name: 'Domains', exact: true }).getByRole('listitem').filter({ hasText: domain });
  await expect(row).toContainText('imprimatur-verify=');
  await expect(row.getByRole('button', { name: 'without its record' })).toHaveCount(0);
  await superAdmin.goto(page(id));
  await superAdmin.getByRole('button', { name: `Claim ${domain} without its record` }).click();
  await expect(superAdmin.getByText(`${domain} is claimed.`)).toBeVisible();

  // The trial says what came, and what it would do.
  await admin.getByRole('switch', { name: /Create accounts/ }).focus();
  await admin.keyboard.press('Space');
  await admin.getByRole('button', { name: /Passwords$/ }).click();
  await admin.getByRole('option', { name: /^Forbidden/ }).click();
  await admin.getByRole('combobox', { name: 'Account that keeps its password' }).fill('Tomás');
  await admin.getByRole('option', { name: /Tomás Rivera/ }).click();
  await admin.getByRole('button', { name: 'Save', exact: true }).click();
  await expect(admin.getByText('The settings were saved.')).toBeVisible();

  // A group gives a role in a project.
  await admin.getByLabel('Claim with the groups').fill('groups');
  await admin.getByRole('button', { name: 'Add a group' }).click();
  const group = admin.getByRole('group', { name: 'Groups' }).getByRole('listitem');
  await group.getByLabel('Group', { exact: true }).fill('editors');
  await group.getByRole('button', { name: /Project/ }).click();
  await admin.getByRole('option', { name: 'World Desk' }).click();
  await admin.getByRole('button', { name: 'Save the groups' }).click();
  await expect(admin.getByText('The groups were saved.')).toBeVisible();
  expect(await violations(admin)).toEqual([]);
  await expect(admin.getByText('At present Tomás Rivera.')).toBeVisible();
  const { id: keeper } = await call(admin, 'GET', '/api/session');
  const roles = await call(admin, 'GET', `${providers}/${id}`);
  expect(roles).toMatchObject({ passwords: 'forbidden', passwordUserId: keeper });
  expect(roles).toMatchObject({ groupsClaim: 'groups', mappings: [{ group: 'editors', role: 'editor', projectId: facts.projects.worldDesk.id }] });
  const opening = admin.waitForEvent('popup');
  await admin.getByRole('button', { name: 'Try it' }).click();
  const tab = await opening;
  await expect(tab.getByText(`A sign-in would make the account lena@${domain}.`)).toBeVisible();
  await expect(tab.getByRole('row', { name: /groups/ })).toContainText('editors');
  await expect(tab.getByText('Editor of the project: World Desk')).toBeVisible();
  expect(await violations(tab)).toEqual([]);
  await tab.close();
  await admin.reload();
  await expect(admin.getByText(/You have tried it/)).toBeVisible();
  await expect(admin.getByLabel('Issuer')).toHaveAttribute('readonly');
  expect(await violations(admin)).toEqual([]);
  await admin.getByRole('button', { name: 'Switch on' }).click();
  await expect(admin.getByText('The identity provider is on.')).toBeVisible();

  const lena = await visitor({ javaScriptEnabled: false });
  await lena.goto('/dashboard/sign-in');
  await lena.getByLabel('E-mail').fill(`anybody@${domain}`);
  await lena.keyboard.press('Enter');
  const way = lena.getByRole('link', { name: 'Continue with Meridian staff' });
  await expect(way).toBeVisible();
  const callback = lena.waitForResponse((response) => response.url().includes('/callback'));
  await lena.goto((await way.getAttribute('href'))!);
  await callback;
  expect(await call(lena, 'GET', '/api/session')).toMatchObject({ email: `lena@${domain}`, name: 'Lena Staff', tenantId: facts.tenantId });

  // The project says where the role is from. An admin unlinks the account, which ends its sessions.
  await admin.goto(`/dashboard/projects/${facts.projects.worldDesk.id}/members`);
  await expect(admin.getByRole('listitem').filter({ hasText: `lena@${domain}` })).toContainText('By a group');
  await admin.goto(`/dashboard/organisation/users?search=lena@${domain}`);
  await admin.getByRole('button', { name: 'Actions for Lena Staff' }).click();
  await admin.getByRole('menuitem', { name: 'Sign-ins of the organisation' }).click();
  const links = admin.getByRole('dialog', { name: 'Sign-ins of Lena Staff' });
  await expect(links.getByRole('listitem')).toContainText('Meridian staff');
  expect(await violations(admin)).toEqual([]);
  await links.getByRole('button', { name: 'Unlink Meridian staff' }).click();
  await expect(links.getByText('The account is not linked to any.')).toBeVisible();
  expect(await (await lena.request.get('/api/session')).json()).toBeNull();
  expectFault(lena, atProvider());
});

test('a user links an account and unlinks it', async ({ as, visitor }) => {
  const admin = await as('tenantAdmin');
  const { id } = await added(admin, await as('superAdmin'), { secondFactor: 'theirs' });
  provider.person = { sub: 'admin' };
  await switchOn(admin, id);

  const user = facts.users.viewer;
  const person = await visitor();
  await call(person, 'POST', '/api/session', user);
  provider.person = { sub: 'vera' };
  await person.goto('/dashboard/account');
  const section = person.locator('section').filter({ hasText: 'Sign-ins of your organisation' });
  await expect(section).toContainText('Not linked');
  expect(await violations(person)).toEqual([]);
  await section.getByRole('button', { name: 'Link Meridian staff', exact: true }).click();
  await confirm(person, user.password);
  await expect(section.getByRole('button', { name: 'Unlink Meridian staff' })).toBeVisible();
  expect((await call(person, 'GET', '/api/me/identity-providers')).data).toMatchObject([{ id, linkedAt: expect.any(String) }]);

  await section.getByRole('button', { name: 'Unlink Meridian staff' }).click();
  await person.getByRole('dialog').getByRole('button', { name: 'Unlink' }).click();

  // A sign-in there proves who it is, unless it is that of another person, or of old.
  const again = person.getByRole('dialog', { name: 'Show that it is you' }).getByRole('button', { name: 'Sign in again at Meridian staff' });
  for (const [claims, text] of [[{ sub: 'eve' }, /Another person has signed in/], [{ sub: 'vera', auth_time: 1 }, /does not say that you have just signed in/]] as const) {
    provider.person = claims;
    const opening = person.waitForEvent('popup');
    await again.click();
    const tab = await opening;
    await expect(tab.getByText(text)).toBeVisible();
    expect(await violations(tab)).toEqual([]);
    await tab.close();
  }
  expect(await violations(person)).toEqual([]);
  provider.person = { sub: 'vera' };
  await again.click();
  await person.waitForURL(/sign-in/);
  expect(await (await person.request.get('/api/session')).json()).toBeNull();
  expectFault(person, atProvider());
});

/** Shows again who the user is, which a change of the ways in needs. */
async function confirm(person: Page, password: string) {
  await person.getByRole('dialog', { name: 'Show that it is you' }).getByLabel('Password').fill(password);
  await person.keyboard.press('Enter');
}

test('pages of providers say in German what is wrong', async ({ as, visitor }) => {
  const admin = await as('tenantAdmin', { locale: 'de-DE' });
  const away = await openId(); // nothing of it is cached
  const { id } = await added(admin, await as('superAdmin'), { issuer: away.url });
  away.away = true;
  await admin.goto(page(id));
  const opening = admin.waitForEvent('popup');
  await admin.getByRole('button', { name: /Ausprobieren|Try it/ }).click();
  const tab = await opening;
  await expect.poll(() => tab.isClosed()).toBe(true);
  await expect(admin.getByRole('alert').filter({ hasText: /antwortet nicht|does not answer/ })).toBeVisible();
  expect(await violations(admin)).toEqual([]);
  await away.close();

  const stranger = await visitor({ locale: 'de-DE' });
  await stranger.goto(`/sso/${id}/callback?code=x&state=y`);
  await expect(stranger.getByText('Diese Anmeldung ist abgelaufen')).toBeVisible();
  expect(await violations(stranger)).toEqual([]);
});
