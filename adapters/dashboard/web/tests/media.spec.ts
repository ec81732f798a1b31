import { articles, call, expect, facts, test } from './fixtures';

const library = `/dashboard/projects/${facts.projects.worldDesk.id}/media`;

/** A PNG of one pixel. Each colour is a different file. */
const pixel = (colour: number) =>
  Buffer.from(
    'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNkYPhfDwAChwGA60e6kgAAAABJRU5ErkJggg=='.replace('kYP', `k${'YZab'[colour]}P`),
    'base64',
  );

test('a failed upload does not affect the others', async ({ as }) => {
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

test('a replacement keeps caption and tags, and drafts show the new file', async ({ as }) => {
  const page = await as('editor');
  const upload = async (name: string, text: string) => {
    const response = await page.request.post(`${facts.baseUrl}/api/projects/${facts.projects.worldDesk.id}/media/upload`, {
      headers: { Origin: facts.baseUrl },
      multipart: { file: { name, mimeType: 'text/plain', buffer: Buffer.from(text) } },
    });
    return (await response.json()).id as number;
  };
  const caption = `The figures ${Date.now()}`;
  const old = await upload('figures.txt', `Old ${Date.now()}`);
  await call(page, 'PATCH', `/api/projects/${facts.projects.worldDesk.id}/media/${old}`, { caption, tags: ['figures'] });
  const { id } = await call(page, 'POST', articles.api, { fields: { title: caption, cover: old } });

  await page.goto(`${library}?item=${old}`);
  await page.getByRole('button', { name: 'Replace…' }).click();
  const dialog = page.getByRole('dialog', { name: `Replace “${caption}”` });
  await expect(dialog.getByRole('link', { name: caption })).toBeVisible();
  await dialog.getByLabel('New file').setInputFiles({ name: 'corrected.txt', mimeType: 'text/plain', buffer: Buffer.from(`New ${Date.now()}`) });
  await dialog.getByRole('button', { name: 'Replace', exact: true }).click();
  await expect(page.getByText(`“${caption}” is replaced`)).toBeVisible();
  await expect(page.getByText('corrected.txt').first()).toBeVisible();

  const { cover } = (await call(page, 'GET', `${articles.api}/${id}`)).fields;
  expect(cover).not.toBe(old);
  expect(await call(page, 'GET', `/api/projects/${facts.projects.worldDesk.id}/media/${cover}`)).toMatchObject({ fileName: 'corrected.txt', caption, tags: ['figures'] });
});
