import { call, expect, facts, test } from './fixtures';

const project = `/api/projects/${facts.projects.worldDesk.id}`;

test('a related entry is made and changed without leaving the page', { tag: '@firefox' }, async ({ as }) => {
  const admin = await as('projectAdmin');
  const stamp = Date.now();
  const people = await call(admin, 'POST', `${project}/collections`, { slug: `people-${stamp}`, name: `People ${stamp}`, fields: [{ name: 'name', type: 'text', label: 'Full name', required: true }] });
  const stories = await call(admin, 'POST', `${project}/collections`, {
    slug: `stories-${stamp}`, name: 'Stories', fields: [{ name: 'title', type: 'text', label: 'Headline' }, { name: 'authors', type: 'relation', label: 'Authors', collection: people.slug, multiple: true }],
  });
  await admin.goto(`/dashboard/projects/${facts.projects.worldDesk.id}/collections/${stories.id}/new`);
  await admin.getByRole('textbox', { name: 'Headline' }).fill('Salt and bread');
  await admin.getByRole('button', { name: `New entry in People ${stamp}` }).click();
  const dialog = admin.getByRole('dialog');
  await expect(dialog.getByRole('textbox', { name: 'Full name' })).toBeFocused();
  await admin.keyboard.type('Ada Okafor');
  await expect(dialog.getByText(/^Saved \d/)).toBeVisible();
  await dialog.getByRole('button', { name: 'Back to the page' }).click();
  await expect(dialog).toBeHidden();
  const authors = admin.getByRole('list', { name: 'Authors' });
  await expect(authors.getByRole('listitem')).toContainText('Ada Okafor');
  await expect(admin.getByRole('textbox', { name: 'Headline' })).toHaveValue('Salt and bread');

  await admin.getByRole('button', { name: 'Edit Ada Okafor here' }).click();
  await dialog.getByRole('textbox', { name: 'Full name' }).fill('Ada N. Okafor');
  await dialog.getByRole('button', { name: 'Back to the page' }).click(); // saves first
  await expect(authors.getByRole('listitem')).toContainText('Ada N. Okafor');
  await expect(admin.getByRole('button', { name: 'Edit Ada N. Okafor here' })).toBeFocused();

  await expect(admin.getByText(/^Saved \d|^All saved/)).toBeVisible();
  await admin.waitForURL(/entries\/\d+/);
  const id = Number(/entries\/(\d+)/.exec(admin.url())![1]);
  const stored = await call(admin, 'GET', `${project}/collections/${stories.id}/content/${id}`);
  const [author] = stored.fields.authors as number[];
  expect((await call(admin, 'GET', `${project}/collections/${people.id}/content/${author}`)).fields.name).toBe('Ada N. Okafor');
});

test('the title of a chosen entry has room beside its chips and buttons', async ({ as }) => {
  const stamp = Date.now();
  const admin = await as('projectAdmin', { viewport: { width: 390, height: 844 } });
  const collection = async (slug: string, name: string, fields: unknown[]) => (await call(admin, 'POST', `${project}/collections`, { slug, name, fields })).id as number;
  const title = 'Paris in the autumn of 1924';
  const named = [{ name: 'title', type: 'text', label: 'Title' }];
  const places = await collection(`trips-${stamp}`, 'Travel stories of readers', named);
  await collection(`guides-${stamp}`, 'Guides', named);
  const notes = await collection(`walks-${stamp}`, 'Walks', [...named, { name: 'about', type: 'relation', label: 'About', collections: [`trips-${stamp}`, `guides-${stamp}`], multiple: true }]);
  const ids = [];
  for (const name of [title, 'Rome']) ids.push((await call(admin, 'POST', `${project}/collections/${places}/content`, { fields: { title: name } })).id);
  const { id } = await call(admin, 'POST', `${project}/collections/${notes}/content`, { fields: { title: 'A walk', about: ids } });
  for (const width of [390, 1280]) {
    await admin.setViewportSize({ width, height: 844 });
    await admin.goto(`/dashboard/projects/${facts.projects.worldDesk.id}/collections/${notes}/entries/${id}`);
    const shown = admin.getByRole('list', { name: 'About' }).getByRole('listitem').first().getByText(title);
    await expect(shown).toBeVisible();
    expect(await shown.evaluate((element) => element.clientWidth), `at ${width} px`).toBeGreaterThan(120); // px
  }
});
