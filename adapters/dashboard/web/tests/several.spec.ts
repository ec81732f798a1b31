import type { Page } from '@playwright/test';
import { violations } from './axe';
import { call, expect, facts, test } from './fixtures';

const project = `/api/projects/${facts.projects.worldDesk.id}`;
const pages = `/dashboard/projects/${facts.projects.worldDesk.id}/collections`;

/** Makes a collection with a title, and returns the ids of its published entries by title. */
async function collection(page: Page, name: string, titles: string[]) {
  const { id } = await call(page, 'POST', `${project}/collections`, { slug: name.toLowerCase().replaceAll(' ', '-'), name });
  await call(page, 'POST', `${project}/collections/${id}/fields`, { name: 'title', label: 'Title', type: 'text', searchable: true });
  const entries: Record<string, number> = {};
  for (const title of titles) entries[title] = (await call(page, 'POST', `${project}/collections/${id}/content`, { fields: { title } })).id as number;
  return { id: id as number, entries };
}

test('a field leads to entries of several collections, and shows the collection of each', async ({ as }) => {
  const page = await as('projectAdmin');
  const stamp = Date.now();
  const [people, places] = [`People ${stamp}`, `Places ${stamp}`];
  const people1 = await collection(page, people, ['Paris Hall', 'Ada Bold']);
  const places1 = await collection(page, places, ['Paris', 'Rome']);
  const notes = await collection(page, `Notes ${stamp}`, []);

  await page.goto(`${pages}/${notes.id}/definition`);
  const dialog = page.getByRole('dialog', { name: 'Add a field' });
  await page.getByRole('button', { name: 'Add a field' }).click();
  await dialog.getByText('Relation', { exact: true }).click();
  await dialog.getByLabel('Label').fill('About');
  await expect(dialog.getByLabel('Name', { exact: true })).toHaveValue('about');
  await dialog.getByText('Entries of several collections').click();
  await dialog.getByText('A list of values').click();
  for (const name of [people, places]) {
    await dialog.getByRole('button', { name: 'Add a collection' }).click();
    await page.getByRole('option', { name }).click();
  }
  expect(await violations(page)).toEqual([]);
  await dialog.getByRole('button', { name: 'Add the field' }).click();
  await expect(dialog).toBeHidden();
  const about = (await call(page, 'GET', `${project}/collections/${notes.id}`)).fields[1];
  expect(about).toMatchObject({ name: 'about', type: 'relation', multiple: true, collections: [`people-${stamp}`, `places-${stamp}`] });

  // The picker searches both, and says where a result is from.
  await page.goto(`${pages}/${notes.id}/new`);
  await page.getByRole('textbox', { name: 'Title' }).fill('Two kinds of Paris');
  const picker = page.getByRole('combobox', { name: 'About' });
  await picker.pressSequentially('Paris');
  await expect(page.getByRole('option')).toHaveCount(2);
  await expect(page.getByRole('option', { name: /Paris Hall/ })).toContainText(people);
  await page.getByRole('option', { name: new RegExp(`^Paris ?${places}`) }).click();
  await picker.pressSequentially('Ada');
  await page.getByRole('option', { name: /Ada Bold/ }).click();
  await page.keyboard.press('Escape');
  const rows = page.getByRole('list', { name: 'About' }).getByRole('listitem');
  await expect(rows).toHaveCount(2);
  await expect(rows.nth(0)).toContainText(`Paris${places}`);
  await expect(rows.nth(1)).toContainText(`Ada Bold${people}`);
  await expect(rows.nth(1).getByRole('link')).toHaveAttribute('href', new RegExp(`/collections/${people1.id}/entries/${people1.entries['Ada Bold']}`));
  await expect(page.getByText(/^Saved \d/)).toBeVisible();
  expect(await violations(page)).toEqual([]);
  await page.waitForURL(/entries\/\d+/);
  const id = Number(/entries\/(\d+)/.exec(page.url())![1]);
  const stored = await call(page, 'GET', `${project}/collections/${notes.id}/content/${id}`);
  expect(stored.fields.about).toEqual([places1.entries.Paris, people1.entries['Ada Bold']]);

  // The list shows the titles, and filters by entries and by a field that both collections have.
  await page.goto(`${pages}/${notes.id}`);
  await expect(page.getByRole('row', { name: /Two kinds of Paris/ })).toContainText('Paris, Ada Bold');
  await page.getByRole('button', { name: 'Filter', exact: true }).click();
  await page.getByRole('button', { name: 'Field' }).click();
  await page.getByRole('option', { name: 'About', exact: true }).first().click();
  await page.getByRole('combobox', { name: 'Value' }).fill('Ada');
  await page.getByRole('option', { name: /Ada Bold/ }).click();
  await page.getByRole('button', { name: 'Add filter' }).click();
  await expect(page.getByRole('list', { name: 'Filters' })).toContainText('About has Ada Bold');
  await expect(page.getByText('1 entry')).toBeVisible();
  await page.getByRole('button', { name: 'Filter', exact: true }).click();
  await page.getByRole('button', { name: 'Field' }).click();
  await page.getByRole('option', { name: 'Title', exact: true }).last().click(); // of the related entries
  await page.getByRole('textbox', { name: 'Value' }).fill('Hall');
  await page.getByRole('button', { name: 'Add filter' }).click();
  await expect(page.getByRole('list', { name: 'Filters' })).toContainText('About › Title contains Hall');
  await expect(page.getByRole('row', { name: /Two kinds of Paris/ })).toHaveCount(0);
});
