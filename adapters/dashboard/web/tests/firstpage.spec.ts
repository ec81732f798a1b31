import { articles, call, expect, facts, submitted, test } from './fixtures';

const project = `/api/projects/${facts.projects.worldDesk.id}`;
const pages = `/dashboard/projects/${facts.projects.worldDesk.id}`;

test('a model names what its fields lead to, and a slug is made from the only required text', async ({ as }) => {
  const page = await as('projectAdmin');
  const stamp = Date.now();
  const { id: component } = await call(page, 'POST', `${project}/components`, { slug: `cta-${stamp}`, name: 'Call to action', fields: [{ name: 'words', label: 'Words', type: 'text' }] });
  const fields = [
    { name: 'kicker', label: 'Kicker', type: 'text' },
    { name: 'headline', label: 'Headline', type: 'text', required: true },
    { name: 'body', label: 'Body', type: 'blocks', components: [`cta-${stamp}`] },
  ];
  const { id: collection } = await call(page, 'POST', `${project}/collections`, { slug: `first-${stamp}`, name: `First ${stamp}`, fields });

  await page.goto(`${pages}/components/${component}`);
  await expect(page.getByRole('heading', { name: 'Name and description', exact: true })).toBeVisible();
  await page.goto(`${pages}/collections/${collection}/definition`);
  await expect(page.getByRole('heading', { name: 'Name, description and icon' })).toBeVisible();
  await expect(page.getByText('Blocks → Call to action')).toBeVisible();
  await page.getByRole('button', { name: 'Add a field' }).click();
  const dialog = page.getByRole('dialog', { name: 'Add a field' });
  await dialog.getByText('Slug', { exact: true }).click();
  await expect(dialog.getByRole('button', { name: /Made from/ })).toContainText('Headline');
});

test('the icons of the menu of a block stand in one line and differ', async ({ as }) => {
  const page = await as('projectAdmin');
  const stamp = Date.now();
  await call(page, 'POST', `${project}/components`, { slug: `line-${stamp}`, name: 'Line', fields: [{ name: 'words', label: 'Words', type: 'text' }] });
  const { id: collection } = await call(page, 'POST', `${project}/collections`, { slug: `lines-${stamp}`, name: `Lines ${stamp}`, fields: [{ name: 'body', label: 'Body', type: 'blocks', components: [`line-${stamp}`] }] });
  const { id } = await call(page, 'POST', `${project}/collections/${collection}/content`, { fields: { body: [{ _type: `line-${stamp}`, words: 'One' }, { _type: `line-${stamp}`, words: 'Two' }] } });
  await page.goto(`${pages}/collections/${collection}/entries/${id}`);
  await page.getByRole('button', { name: 'More for Line 1' }).click();
  const icons = page.getByRole('menu').locator('svg');
  await expect(icons).toHaveCount(4);
  const shown = await icons.evaluateAll((all) => all.map((icon) => ({ x: icon.getBoundingClientRect().x, drawing: icon.innerHTML })));
  expect(new Set(shown.map(({ x }) => x)).size).toBe(1);
  expect(new Set(shown.map(({ drawing }) => drawing)).size).toBe(4);
});

test('the review of an entry that was never published speaks of no last publication', async ({ as }) => {
  const editor = await as('editor');
  const title = `Never public ${Date.now()}`;
  const id = await submitted(editor, title);
  const legal = await as('legal');
  await legal.goto(articles.review(id));
  await expect(legal.getByText('This has never been published.', { exact: false })).toBeVisible();
  await expect(legal.getByText(/^Written by /)).toBeVisible();
  await expect(legal.getByText(/last publication/)).toHaveCount(0);
});

test('what the user saved in another tab is said to be their own', async ({ as }) => {
  const page = await as('editor');
  const { id } = await call(page, 'POST', articles.api, { fields: { title: `Two tabs ${Date.now()}`, summary: 'First.' } });
  await page.goto(articles.entry(id));
  const title = page.getByRole('textbox', { name: 'Title' });
  await expect(title).toHaveValue(/Two tabs/);
  await call(page, 'PATCH', `${articles.api}/${id}`, { fields: { summary: 'From the other tab.' } });
  await title.press('End');
  await page.keyboard.type(' here');
  await expect(page.getByText(/^You changed this in another tab or window: Summary\./)).toBeVisible();

  await expect(page.getByText(/^Saved \d/)).toBeVisible();
  await call(page, 'PATCH', `${articles.api}/${id}`, { fields: { title: 'Another title' } });
  await title.press('End');
  await page.keyboard.type(' and now');
  await expect(page.getByText(/^You saved Title in another tab or window/)).toBeVisible();
  await expect(page.getByText(/Another person/)).toHaveCount(0);
});
