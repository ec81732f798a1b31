import { violations } from './axe';
import { articles, call, expect, facts, test } from './fixtures';

const library = `/dashboard/projects/${facts.projects.worldDesk.id}/media`;

/** A PNG of one pixel. Each colour is a different file. */
const pixel = (colour: number) =>
  Buffer.from(
    'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNkYPhfDwAChwGA60e6kgAAAABJRU5ErkJggg=='.replace('kYP', `k${'YZab'[colour]}P`),
    'base64',
  );

test('a failed upload does not affect the others', { tag: '@firefox' }, async ({ as }) => {
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

test('a picture gets an alternative text and a focal point, and files go to folders', async ({ as }) => {
  const page = await as('editor');
  const base = `/api/projects/${facts.projects.worldDesk.id}/media`;
  const stamp = Date.now();
  const upload = async (name: string) => {
    const response = await page.request.post(`${facts.baseUrl}${base}/upload`, { headers: { Origin: facts.baseUrl }, multipart: { file: { name, mimeType: 'image/png', buffer: pixel(0) } } });
    expect(response.status()).toBe(201);
    return (await response.json()).id as number;
  };
  const [first, second] = [await upload(`one-${stamp}.png`), await upload(`two-${stamp}.png`)];
  const draft = await call(page, 'POST', articles.api, { fields: { title: `Pictured ${stamp}`, cover: first } });
  await page.goto(articles.entry(draft.id));
  await expect(page.getByText('Without an alternative text')).toBeVisible();

  await page.goto(`${library}?item=${first}`);
  await page.getByLabel('Alternative text').pressSequentially('A single point');
  const mark = page.getByRole('button', { name: /^Focal point: 50 % from the left/ });
  await mark.press('ArrowRight');
  const moved = page.getByRole('button', { name: 'Focal point: 55 % from the left, 50 % from the top' });
  await expect(moved).toBeFocused();
  await page.getByLabel('Folder', { exact: true }).last().fill(`Press ${stamp}/2026`);
  await expect(page.getByText('Saved', { exact: true })).toBeVisible();
  expect(await violations(page)).toEqual([]);
  expect(await call(page, 'GET', `${base}/${first}`)).toMatchObject({ alt: 'A single point', focalPoint: { x: 0.55, y: 0.5 }, folder: `Press ${stamp}/2026` });

  // Pointing at the picture sets the point, and the button centres it.
  const box = (await page.getByRole('img', { name: 'A single point' }).boundingBox())!;
  await page.mouse.click(box.x + box.width * 0.25, box.y + box.height * 0.75);
  await expect.poll(async () => (await call(page, 'GET', `${base}/${first}`)).focalPoint?.x).toBeLessThan(0.5);
  await page.getByRole('button', { name: 'Centre it' }).click();
  await expect.poll(async () => (await call(page, 'GET', `${base}/${first}`)).focalPoint).toBeNull();

  // Two files move together, and the filter shows them alone.
  await page.goto(`${library}?search=${stamp}`);
  for (const name of ['one', 'two']) await page.getByRole('gridcell', { name: new RegExp(`${name}-${stamp}`) }).locator('[data-select]').click();
  await page.getByRole('button', { name: 'Move', exact: true }).click();
  const dialog = page.getByRole('dialog', { name: 'Move 2 files' });
  await dialog.getByLabel('Folder').fill('/wrong');
  await dialog.getByRole('button', { name: 'Move', exact: true }).click();
  await expect(dialog.getByText(/names joined by single slashes/)).toBeVisible();
  expect(await violations(page)).toEqual([]);
  await dialog.getByLabel('Folder').fill(`Moved ${stamp}`);
  await dialog.getByRole('button', { name: 'Move', exact: true }).click();
  await expect(page.getByText(`2 files are in Moved ${stamp}`)).toBeVisible();
  await page.goto(library);
  await page.getByRole('button', { name: /All folders/ }).click();
  await page.getByRole('option', { name: `Moved ${stamp}` }).click();
  await expect(page.getByText('2 files match')).toBeVisible();
  await expect(page.getByText(`two-${stamp}.png`)).toBeVisible();
  expect(await violations(page)).toEqual([]);
  expect(await call(page, 'GET', `${base}/${second}`)).toMatchObject({ folder: `Moved ${stamp}` });

  await page.goto(articles.entry(draft.id));
  await expect(page.getByText(`one-${stamp}.png`).first()).toBeVisible();
  await expect(page.getByText('Without an alternative text')).toBeHidden();
});

test('a picture has addresses of other sizes', async ({ as }) => {
  const page = await as('editor');
  const found = await call(page, 'GET', `/api/projects/${facts.projects.worldDesk.id}/media?search=harbour-at-dawn.jpg&type=image`);
  const [picture] = found.data as { id: number; fullUrl: string }[];
  await page.goto(`${library}?item=${picture!.id}`);
  await page.getByRole('button', { name: 'Other sizes' }).click();
  const dialog = page.getByRole('dialog', { name: 'Other sizes' });
  const address = dialog.getByRole('region', { name: 'Address' });
  await expect(address).toHaveText(`${picture!.fullUrl}?w=640&format=auto`);
  await dialog.getByRole('button', { name: /Width/ }).click();
  await page.getByRole('option', { name: '320 px', exact: true }).click();
  await dialog.getByRole('button', { name: /Height/ }).click();
  await page.getByRole('option', { name: '240 px', exact: true }).click();
  await dialog.getByRole('button', { name: /Quality/ }).click();
  await page.getByRole('option', { name: '60', exact: true }).click();
  await expect(address).toHaveText(`${picture!.fullUrl}?w=320&h=240&fit=cover&format=auto&q=60`);
  const shown = dialog.getByRole('img');
  await expect.poll(() => shown.evaluate((img: HTMLImageElement) => [img.naturalWidth, img.naturalHeight])).toEqual([320, 240]);
  expect(await violations(page)).toEqual([]);

  // By keyboard, on a phone, and in dark: the address answers a picture of that width.
  const small = await as('editor', { colorScheme: 'dark', viewport: { width: 390, height: 844 } });
  await small.goto(`${library}?item=${picture!.id}`);
  await small.getByRole('button', { name: 'Other sizes' }).focus();
  await small.keyboard.press('Enter');
  const chooser = small.getByRole('dialog', { name: 'Other sizes' });
  for (const [label, keys] of [['Width', ['Home']], ['Format', ['End']]] as const) {
    await chooser.getByRole('button', { name: new RegExp(label) }).focus();
    await small.keyboard.press('Enter');
    await expect(small.getByRole('listbox')).toBeVisible();
    for (const key of keys) await small.keyboard.press(key);
    await small.keyboard.press('Enter');
    await expect(small.getByRole('listbox')).toHaveCount(0);
  }
  const text = chooser.getByRole('region', { name: 'Address' });
  await expect(text).toHaveText(`${picture!.fullUrl}?w=64&format=png`);
  const png = await (await small.request.get((await text.textContent())!)).body();
  expect([png.readUInt32BE(16), png.readUInt32BE(20)]).toEqual([64, 40]);

  // A picture that cannot be made now is said to be missing, and is asked for again.
  const busy = '**/files/**?w=96&format=png';
  await small.route(busy, (route) => route.fulfill({ status: 503, headers: { 'Retry-After': '5' } }));
  await chooser.getByRole('button', { name: /Width/ }).press('ArrowRight');
  await expect(text).toHaveText(`${picture!.fullUrl}?w=96&format=png`);
  await expect(chooser.getByRole('status')).toContainText('The picture does not load');
  expect(await violations(small)).toEqual([]);
  await small.unroute(busy);
  await chooser.getByRole('button', { name: 'Try again' }).press('Enter');
  await expect.poll(() => chooser.getByRole('img').evaluate((img: HTMLImageElement) => img.naturalWidth)).toBe(96);
  expect(await violations(small)).toEqual([]);
});
