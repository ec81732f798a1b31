import { call, expect, facts, test } from './fixtures';

test('a translation stands beside the original: the same block beside each other, folded together', async ({ as }) => {
  const page = await as('superAdmin', { viewport: { width: 1600, height: 900 } });
  const { id: project } = await call(page, 'POST', `/api/tenants/${facts.tenantId}/projects`, { name: `Beside ${Date.now()}`, locales: ['en', 'de'] });
  await call(page, 'POST', `/api/projects/${project}/components`, { slug: 'hero', name: 'Hero', fields: [{ name: 'words', label: 'Words', type: 'text' }] });
  const fields = [
    { name: 'title', label: 'Title', type: 'text' },
    { name: 'body', label: 'Body', type: 'blocks', components: ['hero'] },
  ];
  const { id: collection } = await call(page, 'POST', `/api/projects/${project}/collections`, { slug: 'pages', name: 'Pages', fields });
  const content = `/api/projects/${project}/collections/${collection}/content`;
  const body = (...words: string[]) => words.map((text) => ({ _type: 'hero', words: text }));
  const { id: original } = await call(page, 'POST', content, { locale: 'en', published: true, fields: { title: 'Spring', body: body('First words', 'Second words') } });
  const { id: german } = await call(page, 'POST', content, { locale: 'de', translationOf: original, fields: { title: 'Frühling', body: body('Erste Worte', 'Zweite Worte') } });

  await page.goto(`/dashboard/projects/${project}/collections/${collection}/entries/${german}?beside=en`);
  await expect(page.locator('header').first()).toContainText('German');
  const second = page.getByRole('region', { name: 'Body 2, English' });
  const card = page.getByRole('button', { name: /^Hero Zweite Worte/ });
  await expect(second).toContainText('Second words');
  const top = async (one: typeof card) => (await one.boundingBox())!.y;
  expect(Math.abs((await top(card)) - (await top(second)))).toBeLessThan(12);
  await expect(second).not.toContainText('Words');
  await page.getByRole('button', { name: /^Hero Erste Worte/ }).click();
  await expect(page.getByRole('region', { name: 'Body 1, English' })).toContainText('Words');
  expect(Math.abs((await top(card)) - (await top(second)))).toBeLessThan(12);

  // The original goes on: the page says so and compares it, and the list finds it beside what has no translation.
  await call(page, 'PATCH', `${content}/${original}`, { fields: { title: 'Spring tide' } });
  await call(page, 'POST', content, { locale: 'en', fields: { title: 'Summer' } });
  const kept = await call(page, 'POST', content, { locale: 'en', fields: { title: 'Autumn' } });
  await call(page, 'POST', content, { locale: 'de', translationOf: kept.id, fields: { title: 'Herbst' } });
  await page.reload();
  await expect(page.getByText('English was changed since this translation was saved.')).toBeVisible();
  await expect(page.getByRole('link', { name: 'What changed' })).toHaveAttribute('href', new RegExp(`/entries/${original}/history\\?from=r\\d+$`));
  await page.goto(`/dashboard/projects/${project}/collections/${collection}`);
  await page.getByRole('button', { name: /State|All/ }).first().click();
  await page.getByRole('option', { name: /^To translate: German/ }).click();
  const rows = page.getByRole('grid').getByRole('row');
  await expect(rows.filter({ hasText: 'Summer' })).toBeVisible();
  await expect(rows.filter({ hasText: 'Spring tide' })).toBeVisible();
  await expect(rows.filter({ hasText: 'Autumn' })).toHaveCount(0);
});

test('a new translation shows the blocks and groups of the original, and copies them with their keys', async ({ as }) => {
  const page = await as('superAdmin', { viewport: { width: 1600, height: 900 } });
  const { id: project } = await call(page, 'POST', `/api/tenants/${facts.tenantId}/projects`, { name: `Copied ${Date.now()}`, locales: ['en', 'de'] });
  const words = (slug: string, name: string) => call(page, 'POST', `/api/projects/${project}/components`, { slug, name, fields: [{ name: 'words', label: 'Words', type: 'text' }] });
  await words('hero', 'Hero');
  await words('seo', 'Search engines');
  const fields = [
    { name: 'title', label: 'Title', type: 'text' },
    { name: 'seo', label: 'SEO', type: 'group', component: 'seo' },
    { name: 'body', label: 'Body', type: 'blocks', components: ['hero'] },
  ];
  const { id: collection } = await call(page, 'POST', `/api/projects/${project}/collections`, { slug: 'pages', name: 'Pages', fields });
  const content = `/api/projects/${project}/collections/${collection}/content`;
  const body = ['First words', 'Second words', 'Third words'].map((text, i) => ({ _type: 'hero', _key: `k${i}`, words: text }));
  const { id: original } = await call(page, 'POST', content, { locale: 'en', fields: { title: 'Spring', seo: { words: 'Found words' }, body } });

  await page.goto(`/dashboard/projects/${project}/collections/${collection}/new?locale=de&of=${original}`);
  const others = page.getByRole('region', { name: 'Body, English' });
  await expect(others).toContainText('Second words');
  await expect(page.getByRole('region', { name: 'SEO, English' })).toContainText('Found words');
  const add = page.getByRole('button', { name: 'Add Hero' });
  expect((await others.boundingBox())!.x).toBeGreaterThan((await add.boundingBox())!.x + 100);

  await page.getByRole('button', { name: 'Copy from English' }).click();
  await expect(page.getByText(/^Copied into empty fields: Title, SEO,? and Body\./)).toBeVisible();
  await expect(page.getByRole('button', { name: /^Hero Third words/ })).toBeVisible();
  await expect(others).toHaveCount(0);
  await expect(page).toHaveURL(/entries\/\d+/);
  const german = Number(/entries\/(\d+)/.exec(page.url())![1]);
  await expect.poll(async () => (await call(page, 'GET', `${content}/${german}`)).fields.body).toEqual(body);
  expect((await call(page, 'GET', `${content}/${german}`)).fields.seo).toEqual({ words: 'Found words' });

  // What the translation leaves out stays in sight.
  await page.getByRole('button', { name: 'More for Hero 2' }).click();
  await page.getByRole('menuitem', { name: 'Remove' }).click();
  await expect(others).toContainText('Second words');
  await expect(others).not.toContainText('Third words');
});
