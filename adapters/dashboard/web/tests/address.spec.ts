import { randomUUID } from 'node:crypto';
import { expect, facts, test } from './fixtures';

test('changes the own address after a fresh proof', async ({ as }) => {
  const editor = await as('editor', { ownSession: true });
  const email = `new-${randomUUID()}@meridian.example`;
  // The sign-in of this session is recent, so that the API asks for no proof yet.
  await editor.route('**/api/me/email', (route) => route.fulfill({ status: 403, contentType: 'application/problem+json', body: '{"status":403,"code":"verify_first"}' }), { times: 1 });
  await editor.goto('/dashboard/account');
  await editor.getByLabel('New address').fill(email);
  await editor.keyboard.press('Enter');
  const dialog = editor.getByRole('dialog', { name: 'Show that it is you' });
  await dialog.getByLabel('Password').fill(facts.users.editor.password);
  await editor.keyboard.press('Enter');
  await expect(dialog).toBeHidden();
  await expect(editor.getByText(`A link was sent to ${email}`)).toBeVisible();
  await expect(editor.getByLabel('New address')).toHaveValue('');
});
