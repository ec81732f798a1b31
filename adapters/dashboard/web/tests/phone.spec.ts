import { articles, call, expect, facts, test } from './fixtures';

test('a phone has the title, undo, redo and the page in reach, and buttons for fingers', async ({ as }) => {
  const page = await as('superAdmin', { viewport: { width: 390, height: 844 } });
  const { id: project } = await call(page, 'POST', `/api/tenants/${facts.tenantId}/projects`, { name: `Phone ${Date.now()}`, locales: ['en', 'de'] });
  const { version } = await call(page, 'GET', `/api/projects/${project}`);
  await call(page, 'PATCH', `/api/projects/${project}`, { previewUrl: `${facts.baseUrl}/files/{id}` }, { 'If-Match': `"${version}"` });
  await call(page, 'POST', `/api/projects/${project}/components`, { slug: 'line', name: 'Line', fields: [{ name: 'words', label: 'Words', type: 'text' }] });
  const fields = [{ name: 'title', label: 'Title', type: 'text' }, { name: 'body', label: 'Body', type: 'blocks', components: ['line'] }];
  const { id: collection } = await call(page, 'POST', `/api/projects/${project}/collections`, { slug: 'pages', name: 'Pages', fields });
  const content = `/api/projects/${project}/collections/${collection}/content`;
  const { id } = await call(page, 'POST', content, { fields: { title: 'About us', body: ['One', 'Two', 'Three'].map((words) => ({ _type: 'line', words })) } });
  await page.goto(`/dashboard/projects/${project}/collections/${collection}/entries/${id}`);

  await expect(page.locator('header').first().getByText('About us')).toBeVisible();
  await page.getByRole('button', { name: 'Move Line 1 down' }).click();
  const lines = page.getByRole('button', { name: /^Line / });
  await expect(lines).toHaveText([/Two/, /One/, /Three/]);
  await page.getByRole('button', { name: 'Undo', exact: true }).click();
  await expect(lines).toHaveText([/One/, /Two/, /Three/]);
  await page.getByRole('button', { name: 'Redo', exact: true }).click();
  await expect(lines).toHaveText([/Two/, /One/, /Three/]);
  await expect(page.getByRole('link', { name: /^View the page/ })).toBeInViewport();

  const boxes = await page.getByRole('button').or(page.getByRole('link', { name: 'Create the translation: German' })).evaluateAll((all) =>
    all.flatMap((one) => {
      const { x, y, width, height } = one.getBoundingClientRect();
      return width > 1 && height > 1 && !one.closest('[aria-labelledby="outcome"], dl') ? [{ name: one.getAttribute('aria-label') ?? one.textContent ?? '', x, y, width, height }] : [];
    }),
  );
  expect(boxes.length).toBeGreaterThan(12);
  expect(boxes.filter(({ width, height }) => width < 44 || height < 44)).toEqual([]);
  const icons = boxes.filter(({ name }) => /^(Move|More for|Insert after)/.test(name));
  const overlapping = icons.flatMap((a, i) => icons.slice(i + 1).filter((b) => a.x + a.width > b.x + 0.5 && b.x + b.width > a.x + 0.5 && a.y + a.height > b.y + 0.5 && b.y + b.height > a.y + 0.5).map((b) => `${a.name} / ${b.name}`));
  expect(overlapping).toEqual([]);
  expect(await page.evaluate(() => document.documentElement.scrollWidth)).toBeLessThanOrEqual(390);
});

test('a phone says in words that changes are kept on the device', async ({ as }) => {
  const page = await as('editor', { viewport: { width: 390, height: 844 } });
  const { id } = await call(page, 'POST', articles.api, { fields: { title: 'On a train', slug: `on-a-train-${Date.now()}-with-a-remarkably-long-headline-that-does-not-end` } });
  await page.goto(articles.entry(id));
  await page.waitForLoadState('networkidle'); // what the page loads for later
  await page.context().setOffline(true);
  await page.getByLabel('Summary').fill('In a tunnel.');
  const says = page.getByText('Offline: kept on this device');
  await expect(says).toBeInViewport();
  expect((await says.boundingBox())!.width).toBeGreaterThan(150);
  expect(await page.evaluate(() => document.documentElement.scrollWidth)).toBeLessThanOrEqual(390);
  await page.context().setOffline(false);
  await expect(says).toHaveCount(0);
});
