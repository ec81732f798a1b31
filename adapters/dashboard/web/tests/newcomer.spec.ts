import type { Page } from '@playwright/test';
import { call, expect, facts, test } from './fixtures';

// What a person meets who builds the first pages of a site.

const project = `/api/projects/${facts.projects.worldDesk.id}`;
const pages = `/dashboard/projects/${facts.projects.worldDesk.id}`;

type Field = { name: string; label: string; type: string } & Record<string, unknown>;

/** Creates a collection of these fields and returns its id. */
async function collectionOf(page: Page, name: string, fields: Field[]): Promise<number> {
  const stamp = Date.now();
  const { id } = await call(page, 'POST', `${project}/collections`, { slug: `${name.toLowerCase()}-${stamp}`, name: `${name} ${stamp}`, fields });
  return id;
}

test('the name of a removed field is free while no entry has a value, and else the page says which type it had', async ({ as }) => {
  const page = await as('projectAdmin');
  const id = await collectionOf(page, 'Notes', [{ name: 'title', label: 'Title', type: 'text' }, { name: 'summary', label: 'Summary', type: 'text' }]);
  await call(page, 'DELETE', `${project}/collections/${id}/fields/summary`);
  await page.goto(`${pages}/collections/${id}/definition`);
  const dialog = page.getByRole('dialog', { name: 'Add a field' });
  const add = async (type: string) => {
    await page.getByRole('button', { name: 'Add a field' }).click();
    await dialog.getByText(type, { exact: true }).click();
    await dialog.getByLabel('Label').fill('Summary');
    await expect(dialog.getByLabel('Name', { exact: true })).toHaveValue('summary');
    await dialog.getByRole('button', { name: 'Add the field' }).click();
  };
  await add('Long text');
  await expect(dialog).toBeHidden();
  await expect(page.getByText('Long text · summary')).toBeVisible();

  await call(page, 'POST', `${project}/collections/${id}/content`, { fields: { title: 'One', summary: 'A few words.' } });
  await call(page, 'DELETE', `${project}/collections/${id}/fields/summary`);
  await page.reload();
  await add('Number');
  await expect(dialog.getByLabel('Name', { exact: true })).toHaveAccessibleDescription(/A field of the type Long text had this name/);
});

test('a file that is no picture is named as such in a media field', async ({ as }) => {
  const page = await as('projectAdmin');
  const id = await collectionOf(page, 'Covers', [{ name: 'title', label: 'Title', type: 'text' }, { name: 'cover', label: 'Cover', type: 'media' }]);
  await page.goto(`${pages}/collections/${id}/new`);
  const cover = page.locator('[data-field=cover]');
  const choose = cover.getByRole('button', { name: 'Choose from the media' });
  await expect(choose).toBeVisible();
  await choose.evaluate((button) => {
    const data = new DataTransfer();
    data.items.add(new File([`These are words, and no picture: ${Date.now()}`], 'cover.png', { type: 'image/png' }));
    for (const type of ['dragenter', 'dragover', 'drop']) button.dispatchEvent(new DragEvent(type, { bubbles: true, cancelable: true, dataTransfer: data }));
  });
  await expect(cover.getByText('This file is not a picture, although its name says so: it is TXT.')).toBeVisible();
  await expect(page.getByText(/^Saved \d/)).toBeVisible();
  await page.reload();
  await expect(cover.getByText('Not a picture: TXT')).toBeVisible();
});

test('a dialog that is longer than the window keeps its buttons in view, and says why Escape does not close it', async ({ as }) => {
  const page = await as('projectAdmin', { viewport: { width: 1440, height: 700 } });
  const id = await collectionOf(page, 'Long', [{ name: 'title', label: 'Title', type: 'text' }]);
  await page.goto(`${pages}/collections/${id}/definition`);
  await page.getByRole('button', { name: 'Add a field' }).click();
  const dialog = page.getByRole('dialog', { name: 'Add a field' });
  const button = dialog.getByRole('button', { name: 'Add the field' });
  await expect(button).toBeInViewport({ ratio: 1 });
  expect((await dialog.boundingBox())!.height, 'the dialog is longer than the window').toBeGreaterThan(700);

  await dialog.getByLabel('Label').fill('Kicker');
  await dialog.getByLabel('Label').press('Escape');
  await expect(dialog.getByRole('status').getByText('This stays open so that nothing you entered is lost.', { exact: false })).toBeInViewport({ ratio: 1 });
  await expect(button).toBeInViewport({ ratio: 1 });

  // What has the focus is not behind the buttons.
  await dialog.getByLabel('Message about other values').focus();
  const [field, bar] = [await dialog.getByLabel('Message about other values').boundingBox(), await button.boundingBox()];
  expect(field!.y + field!.height).toBeLessThanOrEqual(bar!.y);
  await dialog.getByRole('button', { name: 'Cancel' }).click();
  await expect(dialog).toBeHidden();
});

test('a choice is made from the list of the dashboard, in an entry and in a block', async ({ as }) => {
  const page = await as('projectAdmin');
  const stamp = Date.now();
  const tone = { name: 'tone', label: 'Tone', type: 'enumeration', choices: ['calm', 'loud'] };
  await call(page, 'POST', `${project}/components`, { slug: `tone-${stamp}`, name: 'Voice', fields: [tone] });
  const id = await collectionOf(page, 'Voices', [{ ...tone, name: 'mood', label: 'Mood' }, { name: 'body', label: 'Body', type: 'blocks', components: [`tone-${stamp}`] }]);
  const made = await call(page, 'POST', `${project}/collections/${id}/content`, { fields: { mood: 'calm', body: [{ _type: `tone-${stamp}` }] } });
  await page.goto(`${pages}/collections/${id}/entries/${made.id}`);
  await page.getByRole('button', { name: /^Voice/ }).first().click();

  const inBlock = page.getByRole('button', { name: /Tone/ });
  await inBlock.press('Enter');
  await page.getByRole('option', { name: 'loud' }).press('Enter');
  await expect(inBlock).toContainText('loud');
  const inEntry = page.getByRole('button', { name: /Mood/ });
  await expect(inEntry).toContainText('calm');
  await inEntry.click();
  await page.getByRole('option', { name: 'None' }).click();
  await expect(page.getByText(/^Saved \d/)).toBeVisible();
  const { fields } = await call(page, 'GET', `${project}/collections/${id}/content/${made.id}`);
  expect([fields.mood, fields.body[0].tone]).toEqual([null, 'loud']);
});

test('the page of an entry without rich text uses every style sheet that it fetches early', async ({ as }) => {
  const page = await as('projectAdmin');
  const id = await collectionOf(page, 'Plain', [{ name: 'title', label: 'Title', type: 'text' }]);
  const made = await call(page, 'POST', `${project}/collections/${id}/content`, { fields: { title: 'Plain' } });
  const response = await page.goto(`${pages}/collections/${id}/entries/${made.id}`);
  await expect(page.getByRole('textbox', { name: 'Title' })).toHaveValue('Plain');
  const early = [...response!.headers().link!.matchAll(/<([^>]+\.css)>/g)].map((match) => match[1]!);
  expect(early.length).toBeGreaterThan(1);
  const used = await page.evaluate(() => [...document.styleSheets].map(({ href }) => href && new URL(href).pathname));
  expect(early.filter((file) => !used.includes(file))).toEqual([]);
});
