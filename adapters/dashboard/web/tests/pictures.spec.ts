import type { Locator, Page } from '@playwright/test';
import { articles, call, expect, facts, test } from './fixtures';

const media = `/api/projects/${facts.projects.worldDesk.id}/media`;

/** A GIF of one pixel, a new file in each call. */
const picture = () => Buffer.concat([Buffer.from('R0lGODlhAQABAIAAAAAAAP///yH+', 'base64'), comment(`${Date.now()} ${Math.random()}`), Buffer.from('LAAAAAABAAEAAAIBRAA7', 'base64')]);

/** The blocks of a comment of a GIF. */
const comment = (text: string) => Buffer.from([text.length, ...Buffer.from(text), 0]);

/** Drops a file on an element, as a browser does, and reports whether the page takes it: otherwise the browser opens it. */
async function drop(target: Locator, name: string) {
  return target.evaluate(
    (element, { name, base64 }) => {
      const data = new DataTransfer();
      data.items.add(new File([Uint8Array.from(atob(base64), (c) => c.charCodeAt(0))], name, { type: 'image/gif' }));
      const init = { bubbles: true, cancelable: true, dataTransfer: data };
      element.dispatchEvent(new DragEvent('dragenter', init));
      const over = new DragEvent('dragover', init);
      element.dispatchEvent(over);
      const dropped = new DragEvent('drop', init);
      element.dispatchEvent(dropped);
      return over.defaultPrevented && dropped.defaultPrevented;
    },
    { name, base64: picture().toString('base64') },
  );
}

async function draft(page: Page, fields: Record<string, unknown> = {}) {
  const { id } = await call(page, 'POST', articles.api, { fields: { title: `Pictures ${Date.now()}`, ...fields } });
  await page.goto(articles.entry(id));
  await expect(page.getByRole('textbox', { name: 'Title' })).toBeVisible();
  return id as number;
}

const cover = async (page: Page, id: number) => (await call(page, 'GET', `${articles.api}/${id}`)).fields.cover as number | null;

test('a picture dropped on a field is its value, and one dropped elsewhere opens nothing', { tag: '@firefox' }, async ({ as }) => {
  const page = await as('editor');
  const id = await draft(page);
  const field = page.locator('[data-field=cover]');
  expect(await drop(field.getByRole('button').first(), 'first.gif')).toBe(true);
  await expect(field.getByRole('list', { name: 'Cover' })).toContainText('first.gif');
  await expect.poll(() => cover(page, id)).not.toBeNull();
  const before = await cover(page, id);
  expect(await drop(field.getByRole('listitem'), 'second.gif')).toBe(true);
  await expect(field.getByRole('list', { name: 'Cover' })).toContainText('second.gif');
  await expect.poll(() => cover(page, id)).not.toBe(before);

  const after = await cover(page, id);
  for (const place of [page.getByRole('heading', { level: 1 }), page.getByRole('textbox', { name: 'Title' }), page.getByRole('navigation').first()]) {
    expect(await drop(place, 'beside.gif')).toBe(true);
  }
  await expect(page.getByText('beside.gif')).toHaveCount(0);
  expect(await cover(page, id)).toBe(after);

  await page.goto(`/dashboard/projects/${facts.projects.worldDesk.id}/media`);
  await expect(page.getByText(/\d+ files/)).toBeVisible();
  expect(await drop(page.getByRole('grid'), 'library.gif')).toBe(true);
  await expect(page.getByRole('region', { name: 'Uploads' })).toContainText('library.gif');
});

test('the alternative text of a picture is written where it is used', async ({ as }) => {
  const page = await as('editor');
  const upload = await page.request.post(facts.baseUrl + media + '/upload', {
    headers: { Origin: facts.baseUrl },
    multipart: { file: { name: 'harbour.gif', mimeType: 'image/gif', buffer: picture() } },
  });
  const { id } = await upload.json();
  const entry = await draft(page, { cover: id });
  const field = page.locator('[data-field=cover]');
  await expect(field).toContainText('Without an alternative text');
  await field.getByRole('textbox', { name: 'Alternative text' }).fill('Boats in a harbour at dawn');
  await page.getByRole('textbox', { name: 'Title' }).focus();
  await expect.poll(async () => (await call(page, 'GET', `${media}/${id}`)).alt).toBe('Boats in a harbour at dawn');
  await expect(field).not.toContainText('Without an alternative text');

  const viewer = await as('viewer');
  await viewer.goto(articles.entry(entry));
  await expect(viewer.getByText('harbour.gif').first()).toBeVisible();
  await expect(viewer.getByRole('textbox', { name: 'Alternative text' })).toHaveCount(0);
});
