import type { Page } from '@playwright/test';
import { call, expect, facts, test } from './fixtures';
import { codeOf, person, signInAs } from './identity';

/** A project whose only step asks for a proof, and an entry for each title that waits for it. */
async function waiting(admin: Page, author: Page, reviewer: number, titles: string[]) {
  const run = Date.now();
  const { id: project } = await call(admin, 'POST', `/api/tenants/${facts.tenantId}/projects`, { name: `Proven ${run}`, locales: ['en'] });
  const { id: collection } = await call(admin, 'POST', `/api/projects/${project}/collections`, { slug: 'facts', name: 'Facts', fields: [{ name: 'title', type: 'text', label: 'Title' }] });
  await call(admin, 'PUT', `/api/projects/${project}/approval-workflow`, { steps: [{ stepOrder: 1, stepLabel: 'Prüfung', requiredRoleKind: 'admin', reauthenticate: true }] });
  await call(admin, 'PUT', `/api/projects/${project}/members/${(await call(author, 'GET', '/api/session')).id}`, { role: 'editor' });
  await call(admin, 'PUT', `/api/projects/${project}/members/${reviewer}`, { role: 'admin' });
  const content = `/api/projects/${project}/collections/${collection}/content`;
  const found = [];
  for (const title of titles) {
    const { id } = await call(author, 'POST', content, { fields: { title } });
    await call(author, 'POST', `${content}/${id}/publish`, {});
    found.push({ page: `/dashboard/review/${project}/${collection}/${id}`, approval: `${content}/${id}/approval` });
  }
  return found;
}

test('decisions are confirmed by keyboard alone, in German: with the password, and with a code', async ({ as, visitor }) => {
  const [admin, author, page] = [await as('superAdmin'), await as('editor'), await visitor({ locale: 'de-DE' })];
  const reviewer = await person(admin, page, 'Petra Sand');
  const [first, second, third] = await waiting(admin, author, reviewer.id, ['Mit Passwort', 'Mit Code', 'Zu oft falsch']);
  const comment = page.getByRole('textbox', { name: 'Kommentar' });
  const proof = page.getByRole('dialog', { name: 'Bestätigen Sie, dass Sie es sind' });
  await page.context().clearCookies();
  await page.goto(first!.page);
  await signInAs(page, reviewer);

  /** Writes a comment, approves, and ends in the dialog. */
  const approve = async (text: string) => {
    await expect(comment).toBeVisible();
    await page.waitForLoadState('networkidle'); // shortcuts work once the page is idle
    await comment.focus();
    await page.keyboard.type(text);
    await page.keyboard.press('Control+Enter');
    await expect(page.getByRole('button', { name: /^Freigeben/ })).toBeFocused();
    await page.keyboard.press('Enter');
  };
  await approve('Die Quelle stimmt.');
  await expect(proof.getByLabel('Passwort')).toBeFocused();
  await expect(proof).toContainText('Eine Entscheidung an diesem Schritt braucht eine neue Bestätigung');
  await page.keyboard.type('not the password');
  await page.keyboard.press('Enter');
  await expect(proof.getByLabel('Passwort')).toHaveAccessibleDescription('Das Passwort ist falsch.');
  await page.keyboard.press('Escape');
  await expect(page.getByRole('button', { name: /^Freigeben/ })).toBeFocused();
  await expect(comment).toHaveValue('Die Quelle stimmt.');
  await page.keyboard.press('Enter');
  await expect(proof.getByLabel('Passwort')).toBeFocused();
  await page.keyboard.type(reviewer.password);
  await page.keyboard.press('Enter');
  await expect(page.getByText(/^Freigegeben/)).toBeVisible();
  expect((await call(author, 'GET', first!.approval)).actions[1]).toMatchObject({ verified: 'password', comment: 'Die Quelle stimmt.' });

  // The set-up of an app ends the proof: a person with a second factor proves that one.
  const { secret } = await call(page, 'POST', '/api/me/totp');
  await call(page, 'POST', '/api/me/totp/confirm', { code: codeOf(secret) });
  await page.goto(second!.page);
  await approve('Auch diese.');
  await expect(proof.getByLabel('Code Ihrer Authenticator-App')).toBeFocused();
  await page.keyboard.type('000000');
  await page.keyboard.press('Enter');
  await expect(proof.getByLabel('Code Ihrer Authenticator-App')).toHaveAccessibleDescription('Der Code ist falsch oder wurde schon benutzt.');
  await page.keyboard.press('ControlOrMeta+a');
  await page.keyboard.type(codeOf(secret, 30));
  await page.keyboard.press('Enter');
  await expect(page.getByText(/^Freigegeben/)).toBeVisible();
  expect((await call(author, 'GET', second!.approval)).actions[1]).toMatchObject({ verified: 'totp', comment: 'Auch diese.' });

  // A decision after the limit of failures says so, and keeps the comment.
  await call(admin, 'DELETE', `/api/users/${reviewer.id}/factors`);
  await call(page, 'POST', '/api/session', { email: reviewer.email, password: reviewer.password });
  for (let i = 0; i < 10; i++) {
    const wrong = await page.request.post('/api/session/verify', { headers: { Origin: facts.baseUrl }, data: { password: `wrong ${i}` } });
    expect(wrong.status()).toBe(422);
  }
  await page.goto(third!.page);
  await approve('Und diese.');
  await expect(proof.getByLabel('Passwort')).toBeFocused();
  await page.keyboard.type(reviewer.password);
  await page.keyboard.press('Enter');
  await expect(proof.getByRole('alert')).toContainText('Zu viele Fehlversuche');
  await page.keyboard.press('Escape');
  await expect(comment).toHaveValue('Und diese.');
});
