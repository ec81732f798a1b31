import type { Page } from '@playwright/test';
import { violations } from './axe';
import { call, expect, facts, test } from './fixtures';

const desk = facts.projects.worldDesk.id;
const world = `/dashboard/projects/${desk}`;
const api = `/api/projects/${desk}`;

/** Adds a field on the page of a definition. The name follows the label. */
async function addField(page: Page, type: string, label: string, name: string, more: () => Promise<void> = async () => undefined) {
  const dialog = page.getByRole('dialog', { name: 'Add a field' });
  await page.getByRole('button', { name: 'Add a field' }).click();
  await dialog.getByText(type, { exact: true }).click();
  await dialog.getByLabel('Label').fill(label);
  await expect(dialog.getByLabel('Name', { exact: true })).toHaveValue(name);
  await more();
  await dialog.getByRole('button', { name: 'Add the field' }).click();
  await expect(dialog).toBeHidden();
}

async function createComponent(page: Page, name: string, slug: string) {
  await page.goto(`${world}/components`);
  await page.getByRole('button', { name: 'Create a component' }).click();
  const dialog = page.getByRole('dialog', { name: 'Create a component' });
  await dialog.getByLabel('Name').fill(name);
  await expect(dialog.getByLabel('Slug')).toHaveValue(slug);
  await dialog.getByRole('button', { name: 'Create a component' }).click();
  await expect(page.getByRole('heading', { level: 1, name })).toBeVisible();
}

const fields = (page: Page) => page.getByRole('grid', { name: 'Fields' }).getByRole('row').locator('b');

test('components are defined, named in a blocks field, and written into an entry', async ({ as }) => {
  const page = await as('projectAdmin');
  const stamp = String(Date.now());
  const { id } = await call(page, 'POST', `${api}/collections`, { slug: `landing-${stamp}`, name: `Landing pages ${stamp}` });
  await call(page, 'POST', `${api}/collections/${id}/fields`, { name: 'title', label: 'Title', type: 'text', required: true });

  await createComponent(page, `Call to action ${stamp}`, `call-to-action-${stamp}`);
  const dialog = page.getByRole('dialog', { name: 'Add a field' });
  await addField(page, 'Web address', 'Target', 'target');
  await addField(page, 'Text', 'Words', 'words', async () => {
    // A field of a component cannot be a password, unique or hidden.
    await expect(dialog.getByText('Password', { exact: true })).toHaveCount(0);
    await expect(dialog.getByRole('checkbox', { name: 'Required' })).toBeAttached();
    await expect(dialog.getByRole('checkbox', { name: /Unique|Hidden/ })).toHaveCount(0);
    await dialog.getByText('Lists can be filtered by it').click();
    await expect(dialog.getByRole('checkbox', { name: /Searches find its words/ })).toBeChecked();
    expect(await violations(page)).toEqual([]);
  });
  await page.getByRole('button', { name: 'Move Words earlier' }).click();
  await expect(fields(page)).toHaveText(['Words', 'Target']);
  await page.getByLabel('Description').fill('A button with a text.');
  await page.getByRole('button', { name: 'Save', exact: true }).click();
  await expect(page.getByText('The component was saved.')).toBeVisible();
  await createComponent(page, `Teaser ${stamp}`, `teaser-${stamp}`);
  await addField(page, 'Group', 'Button', 'button', async () => {
    await dialog.getByRole('button', { name: /Component/ }).click();
    await page.getByRole('option', { name: `Call to action ${stamp}` }).click();
  });
  await expect(page.getByRole('row', { name: 'Button' })).toContainText(`Group → Call to action ${stamp}`);

  await page.goto(`${world}/collections/${id}/definition`);
  await addField(page, 'Blocks', 'Body', 'body', async () => {
    for (const name of ['Teaser', 'Call to action']) {
      await dialog.getByRole('button', { name: 'Add a component' }).click();
      await page.getByRole('option', { name: `${name} ${stamp}` }).click();
    }
    await dialog.getByRole('button', { name: `Move Call to action ${stamp} earlier` }).click();
    await dialog.getByLabel('Minimum number of items').fill('1');
    expect(await violations(page)).toEqual([]);
  });
  const [, body] = (await call(page, 'GET', `${api}/collections/${id}`)).fields;
  expect(body).toMatchObject({ type: 'blocks', components: [`call-to-action-${stamp}`, `teaser-${stamp}`], min: 1 });

  await page.getByRole('link', { name: 'Show its entries' }).click();
  await page.goto(`${world}/collections/${id}/new`);
  await page.getByRole('textbox', { name: 'Title' }).fill('Spring sale');
  await page.getByRole('button', { name: 'Add a block' }).click();
  await page.getByRole('option', { name: `Call to action ${stamp}` }).click();
  await page.getByRole('textbox', { name: 'Words' }).fill('Buy now');
  await expect(page.getByText(/^Saved \d/)).toBeVisible();
  const content = `${api}/collections/${id}/content`;
  const found = async (words: string) => (await call(page, 'GET', `${content}?where[body.call-to-action-${stamp}.words]=${words}`)).data.length;
  await expect.poll(() => found('Buy now')).toBe(1); // the index of a filterable field is filled in the background
  expect(await found('Sell')).toBe(0);
});

test('a component in use is not deleted, and a change that readers see requires confirmation', async ({ as }) => {
  const page = await as('superAdmin');
  const stamp = String(Date.now());
  // A project with a published entry, which a workflow governs afterwards.
  const { id: project } = await call(page, 'POST', `/api/tenants/${facts.tenantId}/projects`, { name: `Facts ${stamp}`, locales: ['en'] });
  const [at, own] = [`/dashboard/projects/${project}`, `/api/projects/${project}`];
  const text = (name: string, label: string) => ({ name, label, type: 'text' });
  const component = await call(page, 'POST', `${own}/components`, { slug: 'fact', name: 'Fact', fields: [text('text', 'Text'), text('source', 'Source')] });
  const { id } = await call(page, 'POST', `${own}/collections`, { slug: 'facts', name: 'Facts', fields: [{ name: 'fact', label: 'Fact box', type: 'group', component: 'fact' }] });
  const entry = await call(page, 'POST', `${own}/collections/${id}/content`, { fields: { fact: { text: 'Water is wet.', source: 'Experience' } } });
  await call(page, 'POST', `${own}/collections/${id}/content/${entry.id}/publish`, {});
  await call(page, 'PUT', `${own}/approval-workflow`, { steps: [{ stepOrder: 1, stepLabel: 'Check', requiredRoleKind: 'tenant_admin' }] });

  await page.goto(`${at}/components/${component.id}`);
  const dialog = page.getByRole('dialog', { name: 'Delete Fact?' });
  const remove = async () => {
    await page.getByRole('button', { name: 'Delete the component' }).click();
    await dialog.getByRole('button', { name: 'Delete the component' }).click();
  };
  await remove();
  await expect(dialog.getByRole('link', { name: 'Facts › Fact box' })).toHaveAttribute('href', `${at}/collections/${id}/definition`);
  expect(await violations(page)).toEqual([]);
  await dialog.getByRole('button', { name: 'Cancel' }).click();

  await page.getByRole('button', { name: 'Remove Source' }).click();
  await page.getByRole('button', { name: 'Remove the field' }).click();
  const question = page.getByRole('dialog', { name: 'Readers see this change immediately' });
  await expect(question).toContainText('fact.source: readers no longer see its values');
  await question.getByRole('button', { name: 'Change it for readers' }).click();
  await expect(fields(page)).toHaveText(['Text']);

  await call(page, 'DELETE', `${own}/collections/${id}?acknowledge=true`);
  await remove();
  await expect(page).toHaveURL(`${at}/components`);
  await expect(page.getByRole('heading', { name: 'No components yet' })).toBeVisible();
});

test('fields of a collection become a group, with their values, and stay where reviewed versions have them', async ({ as }) => {
  const page = await as('superAdmin');
  const stamp = String(Date.now());
  const { id: project } = await call(page, 'POST', `/api/tenants/${facts.tenantId}/projects`, { name: `Shops ${stamp}`, locales: ['en'] });
  const [world, api] = [`/dashboard/projects/${project}`, `/api/projects/${project}`]; // no workflow governs it
  const text = (name: string, label: string) => ({ name, label, type: 'text' });
  const own = [text('title', 'Title'), text('seoTitle', 'Title for search engines'), { name: 'seoSlug', label: 'Slug for search engines', type: 'slug', source: 'seoTitle' }];
  const { id } = await call(page, 'POST', `${api}/collections`, { slug: `shops-${stamp}`, name: `Shops ${stamp}`, fields: own });
  const dialog = page.getByRole('dialog', { name: 'Turn fields into a group' });
  const group = async (name: string, ...labels: string[]) => {
    await page.goto(`${world}/collections/${id}/definition`);
    await page.getByRole('button', { name: 'Turn fields into a group' }).click();
    for (const label of labels) await dialog.getByText(label, { exact: true }).click();
    await dialog.getByLabel('Name', { exact: true }).fill(name);
    await expect(dialog.getByLabel('Slug', { exact: true })).toHaveValue(name.toLowerCase());
    await dialog.getByLabel('Slug', { exact: true }).fill(`${name.toLowerCase()}-${stamp}`);
    await dialog.getByRole('button', { name: 'Create the group' }).click();
  };

  await group('Seo', 'Title for search engines');
  await expect(dialog).toContainText('Slug for search engines is made from Title for search engines: choose both');
  expect(await violations(page)).toEqual([]);
  await dialog.getByText('Slug for search engines', { exact: true }).click();
  await dialog.getByRole('button', { name: 'Create the group' }).click();
  await expect(dialog).toBeHidden();
  await expect(fields(page)).toHaveText(['Title', 'Seo']);
  const made = (await call(page, 'GET', `${api}/components`)).data.find(({ slug }: { slug: string }) => slug === `seo-${stamp}`);
  expect(made.fields).toMatchObject([{ name: 'seoTitle' }, { name: 'seoSlug', source: 'seoTitle' }]);

  const content = `${api}/collections/${id}/content`;
  const shop = await call(page, 'POST', content, { fields: { title: 'The shop', seo: { seoTitle: 'Shop' } }, published: true });
  await call(page, 'PATCH', `${content}/${shop.id}`, { fields: { title: 'The new shop' }, keepPublished: true });
  await group('Head', 'Title');
  await expect(dialog).toBeHidden();
  await expect(fields(page)).toHaveText(['Seo', 'Head']);
  expect((await call(page, 'GET', `${content}/${shop.id}`)).fields).toMatchObject({ seo: { seoTitle: 'Shop' }, head: { title: 'The new shop' } });

  const trashed = await call(page, 'POST', content, { fields: { head: { title: 'Closed' } }, published: true });
  await call(page, 'POST', `${api}/collections/${id}/fields`, text('city', 'City'));
  await call(page, 'PATCH', `${content}/${trashed.id}`, { fields: { city: 'Bergen' } });
  await call(page, 'DELETE', `${content}/${trashed.id}`);
  await group('Place', 'City');
  await expect(dialog).toContainText('1 entry in the trash');
  expect(await violations(page)).toEqual([]);
  await dialog.getByRole('button', { name: 'Close' }).last().click();
  await expect(fields(page)).toHaveText(['Seo', 'Head', 'City', 'Place']);

  // A published entry without a value that is required now stays as it is, and so do the old fields.
  await call(page, 'POST', `${api}/collections/${id}/fields`, text('street', 'Street'));
  await call(page, 'PATCH', `${content}/${shop.id}`, { fields: { street: 'Strandgaten' }, published: true });
  await call(page, 'POST', `${api}/collections/${id}/fields?acknowledge=true`, { ...text('owner', 'Owner'), required: true });
  await group('Address', 'Street');
  await expect(dialog).toContainText('1 entry stays as it is, with no value in the group, because of faults');
  await expect(dialog.getByRole('link', { name: `Entry ${shop.id}` })).toHaveAttribute('href', `${world}/collections/${id}/entries/${shop.id}`);
  await expect(dialog).toContainText('Owner is required');
  expect(await violations(page)).toEqual([]);
  await dialog.getByRole('button', { name: 'Close' }).last().click();
  await expect(fields(page)).toHaveText(['Seo', 'Head', 'City', 'Place', 'Street', 'Owner', 'Address']);
});
