import type { Page } from '@playwright/test';
import { createHmac, randomUUID } from 'node:crypto';
import { call, expect, facts } from './fixtures';

/** The code of an authenticator app with a secret in base32, some seconds from now (RFC 6238). */
export function codeOf(secret: string, later = 0): string {
  const bits = [...secret.replaceAll(' ', '')].map((c) => 'ABCDEFGHIJKLMNOPQRSTUVWXYZ234567'.indexOf(c).toString(2).padStart(5, '0')).join('');
  const key = Buffer.from(bits.match(/.{8}/g)!.map((byte) => Number.parseInt(byte, 2)));
  const step = Buffer.alloc(8);
  step.writeBigUInt64BE(BigInt(Math.floor((Date.now() / 1000 + later) / 30)));
  const mac = createHmac('sha1', key).update(step).digest();
  return String((mac.readUInt32BE(mac.at(-1)! & 15) & 0x7fffffff) % 1_000_000).padStart(6, '0');
}

/** Gives a page an authenticator for passkeys, which says yes to each question. */
export async function withAuthenticator(page: Page) {
  const devtools = await page.context().newCDPSession(page);
  await devtools.send('WebAuthn.enable');
  await devtools.send('WebAuthn.addVirtualAuthenticator', {
    options: { protocol: 'ctap2', transport: 'internal', hasResidentKey: true, hasUserVerification: true, isUserVerified: true, automaticPresenceSimulation: true },
  });
}

export type Person = { id: number; email: string; name: string; password: string };

/** Creates a person, and signs them in on a page with a password that they need not change. admin is a super admin. */
export async function person(admin: Page, page: Page, name: string): Promise<Person> {
  const [first, password] = [randomUUID(), randomUUID()];
  const email = `${name.split(' ')[0]!.toLowerCase()}-${randomUUID()}@meridian.example`;
  const { id } = await call(admin, 'POST', '/api/users', { email, name, password: first, tenantId: facts.tenantId });
  await call(page, 'POST', '/api/session', { email, password: first });
  await call(page, 'PUT', `/api/users/${id}/password`, { current: first, new: password }); // ends the session
  await call(page, 'POST', '/api/session', { email, password });
  return { id, email, name, password };
}

/** Sends the form of the sign-in page. */
export async function signInAs(page: Page, { email, password }: { email: string; password: string }) {
  await page.locator('#email').fill(email);
  await page.locator('#password').fill(password);
  await page.keyboard.press('Enter');
}

/** The texts of the mails to an address that the demo has caught, the newest first. */
export async function mailsTo(page: Page, email: string): Promise<string[]> {
  const list = await (await page.request.get(`${facts.baseUrl}/demo/mail`)).text();
  const paths = [...list.matchAll(/<li><a href="([^"]+)">[^<]*<\/a><span>to .*?&lt;(.+?)&gt;/g)].filter((mail) => mail[2] === email).map((mail) => mail[1]!);
  return Promise.all(paths.map(async (path) => (await page.request.get(facts.baseUrl + path)).text()));
}

/** Waits for mails with a link to a page of the dashboard, and returns their links, the newest first. */
export async function linksTo(page: Page, email: string, to: 'invite' | 'reset' | 'address', count = 1): Promise<string[]> {
  const links = async () => (await mailsTo(page, email)).flatMap((mail) => new RegExp(`(/dashboard)?/${to}/[A-Z2-7]{26}`).exec(mail)?.[0] ?? []);
  await expect.poll(async () => (await links()).length).toBe(count);
  return links();
}
