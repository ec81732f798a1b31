import { expect, facts, test } from './fixtures';

const library = `/dashboard/projects/${facts.projects.worldDesk.id}/media`;

/** A PNG of one pixel; each colour is another file. */
const pixel = (colour: number) =>
  Buffer.from(
    'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNkYPhfDwAChwGA60e6kgAAAABJRU5ErkJggg=='.replace('kYP', `k${'YZab'[colour]}P`),
    'base64',
  );

test('a failed upload among good ones leaves the good ones', async ({ as }) => {
  const page = await as('editor');
  await page.goto(library);
  await expect(page.getByText(/\d+ files/)).toBeVisible();
  await page.locator('input[type=file]').first().setInputFiles([
    { name: 'first.png', mimeType: 'image/png', buffer: pixel(0) },
    { name: 'tool.exe', mimeType: 'application/x-msdownload', buffer: Buffer.from('MZ not a picture') },
    { name: 'notes.txt', mimeType: 'text/plain', buffer: Buffer.from(`Notes ${Date.now()}`) },
  ]);
  const uploads = page.getByRole('region', { name: 'Uploads' });
  await expect(uploads.getByRole('heading')).toHaveText('2 uploaded, 1 failed');
  await expect(uploads.getByRole('listitem').filter({ hasText: 'tool.exe' })).toContainText(/type|accepted|allowed/);
  await page.reload();
  await expect(page.getByText('first.png').or(page.getByText('notes.txt')).first()).toBeVisible();
});
