import { call, expect, facts, test } from './fixtures';

test('words typed into a new text block are kept while its editor is still loading', { tag: '@firefox' }, async ({ as }) => {
  const page = await as('superAdmin');
  const { id: project } = await call(page, 'POST', `/api/tenants/${facts.tenantId}/projects`, { name: `Typed ${Date.now()}` });
  for (const [slug, name, type] of [['prose', 'Text', 'richtext'], ['quote', 'Quote', 'longtext']]) {
    await call(page, 'POST', `/api/projects/${project}/components`, { slug, name, fields: [{ name: 'words', label: 'Words', type }] });
  }
  const fields = [{ name: 'title', label: 'Title', type: 'text' }, { name: 'body', label: 'Body', type: 'blocks', components: ['prose', 'quote'] }];
  const { id: collection } = await call(page, 'POST', `/api/projects/${project}/collections`, { slug: 'pages', name: 'Pages', fields });
  const content = `/api/projects/${project}/collections/${collection}/content`;
  const { id: entry } = await call(page, 'POST', content, { fields: { title: 'A page' } });

  // The code of the editor arrives when the test says so.
  let arrive = () => undefined as void;
  const arrival = new Promise<void>((resolve) => (arrive = resolve));
  let held = 0;
  await page.route(/\/assets\/control-.*\.js/, async (route) => {
    const response = await route.fetch();
    if ((await response.text()).includes('ProseMirror')) {
      held++;
      await arrival;
    }
    await route.fulfill({ response });
  });
  await page.goto(`/dashboard/projects/${project}/collections/${collection}/entries/${entry}`, { waitUntil: 'commit' });
  await page.getByRole('button', { name: 'Add a block' }).click();
  await expect.poll(() => held).toBeGreaterThan(0);
  await page.getByRole('option', { name: 'Text' }).click();
  await page.keyboard.type('Hello from <the> quay');
  await page.keyboard.press('Enter');
  await page.keyboard.type('and');
  arrive();
  const editor = page.getByRole('textbox', { name: 'Words' }).and(page.locator('[contenteditable=true]'));
  await expect(editor).toBeFocused();
  await page.keyboard.type(' beyond');
  await expect(editor.locator('p')).toHaveText(['Hello from <the> quay', 'and beyond']);
  await expect(page.getByText(/^Saved \d/)).toBeVisible();
  expect((await call(page, 'GET', `${content}/${entry}`)).fields.body[0].words).toBe('<p>Hello from &lt;the&gt; quay</p><p>and beyond</p>');
});
