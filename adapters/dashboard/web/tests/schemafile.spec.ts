import type { Page } from '@playwright/test';
import { readFile } from 'node:fs/promises';
import { violations } from './axe';
import { call, expect, facts, test } from './fixtures';

const blog = facts.projects.blog.id;
const path = (project: number) => `/dashboard/projects/${project}/schema`;

async function downloaded(page: Page) {
  const arrives = page.waitForEvent('download');
  await page.getByRole('button', { name: 'Download the file' }).click();
  const file = await arrives;
  expect(file.suggestedFilename()).toBe('schema.yaml');
  return readFile(await file.path(), 'utf8');
}

const choose = (page: Page, text: string) => page.getByLabel('File', { exact: true }).setInputFiles({ name: 'next.yaml', mimeType: 'application/yaml', buffer: Buffer.from(text) });

test('a file of definitions is downloaded, planned and applied', async ({ as }) => {
  const page = await as('superAdmin');
  await page.goto(`/dashboard/projects/${blog}/collections`);
  await page.getByRole('link', { name: 'As a file' }).click();
  await expect(page.getByRole('heading', { level: 1, name: 'Definitions as a file' })).toBeVisible();
  expect(await violations(page)).toEqual([]);
  const present = await downloaded(page);
  expect(present).toBe((await call(page, 'GET', `/api/projects/${blog}/schema`)).schema);

  await choose(page, present);
  await expect(page.getByText('There is nothing to change.')).toBeVisible();

  const key = `zones-${Date.now()}`;
  const more = `${present}  - key: ${key}\n    name: Zones\n    fields:\n      - name: size\n        type: number\n`;
  await choose(page, more);
  const plan = page.getByRole('region', { name: 'What next.yaml changes' });
  await expect(plan).toContainText(`Added collections.${key}`);
  await plan.getByRole('button', { name: 'Apply the file' }).click();
  const applied = page.getByText('The file is applied: one change.');
  await expect(applied).toBeVisible();
  expect(await downloaded(page)).toContain(`key: ${key}`);
  await page.getByRole('status').getByRole('button', { name: 'Close' }).click(); // the next notice has the same words
  await expect(applied).toBeHidden();

  // What is lost is ticked by hand.
  await choose(page, present);
  await expect(plan).toContainText(`Removed collections.${key} values are no longer shown`);
  const apply = plan.getByRole('button', { name: 'Apply the file' });
  await expect(apply).toBeDisabled();
  expect(await violations(page)).toEqual([]);
  await plan.getByText('Remove this').click();
  await apply.click();
  await expect(applied).toBeVisible();
  expect(await downloaded(page)).toBe(present);

  // A change of the definitions since the plan is not overwritten.
  await choose(page, more);
  await expect(plan).toContainText(`Added collections.${key}`);
  const other = await call(page, 'POST', `/api/projects/${blog}/components`, { slug: `other-${Date.now()}`, name: 'Other' });
  await plan.getByRole('button', { name: 'Apply the file' }).click();
  await expect(page.getByText('The definitions were changed meanwhile.')).toBeVisible();
  await call(page, 'DELETE', `/api/projects/${blog}/components/${other.id}`);
});

test('a file with faults names their lines', async ({ as }) => {
  const page = await as('superAdmin', { locale: 'de' });
  await page.goto(path(blog));
  await expect(page.getByRole('heading', { level: 1, name: 'Definitionen als Datei' })).toBeVisible();
  await page.getByLabel('Datei', { exact: true }).setInputFiles({ name: 'a.yaml', mimeType: 'application/yaml', buffer: Buffer.from('format: 1\ncollections:\n  - key: a\n    colour: red\n') });
  await expect(page.getByRole('alert')).toContainText('collections[0].colour: Zeile 4:');
  expect(await violations(page)).toEqual([]);
});

test('what readers would see is confirmed, and viewers only download', async ({ as }) => {
  const page = await as('projectAdmin');
  await page.goto(path(facts.projects.worldDesk.id));
  const present = await downloaded(page);
  await choose(page, present.replace('  - key: countries\n', '  - key: countries\n    slug: nations\n'));
  const plan = page.getByRole('region', { name: 'What next.yaml changes' });
  await expect(plan).toContainText('collections.countries.slug: readers find its entries by this slug only');
  await expect(plan).toContainText('slug: default → nations');
  const apply = plan.getByRole('button', { name: 'Apply the file' });
  await expect(apply).toBeDisabled();
  await plan.getByText('Readers may see this').click();
  await expect(apply).toBeEnabled();
  // The type of a field stays.
  await choose(page, present.replace('type: richtext', 'type: longtext'));
  await expect(plan.getByRole('alert')).toContainText('cannot be changed from richtext to longtext');
  await expect(apply).toBeDisabled();
  expect(await violations(page)).toEqual([]);

  const viewer = await as('viewer');
  await viewer.goto(path(facts.projects.worldDesk.id));
  expect(await downloaded(viewer)).toBe(present);
  await expect(viewer.getByRole('heading', { name: 'Apply a file' })).toHaveCount(0);
});
