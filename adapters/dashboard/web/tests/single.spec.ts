import { call, expect, facts, test } from './fixtures';

const { id: project, uuid } = facts.projects.blog;

test('a collection of a single entry opens it without a list', async ({ as }) => {
  const admin = await as('tenantAdmin');
  const slug = `home-${Date.now()}`;
  const { id: collection } = await call(admin, 'POST', `/api/projects/${project}/collections`, { slug, name: `Home ${slug}`, singleton: true, fields: [{ name: 'title', type: 'text', label: 'Title' }] });
  const list = `/dashboard/projects/${project}/collections/${collection}`;

  await admin.goto(list);
  await admin.getByRole('textbox', { name: 'Title' }).fill('Welcome');
  await admin.waitForURL(/entries\/\d+/);
  const entry = admin.url();
  await admin.getByRole('button', { name: 'Publish now' }).click();
  const read = () => admin.request.get(`/public/v2/projects/${uuid}/collections/${slug}/entry`, { headers: { Authorization: `Bearer ${facts.tokens.blog.readOnly}` } });
  await expect.poll(async () => (await read()).status()).toBe(200);
  expect((await (await read()).json()).title).toBe('Welcome');

  await admin.goto('/dashboard/');
  await admin.goto(list);
  await admin.waitForURL(entry);
  await expect(admin.getByRole('textbox', { name: 'Title' })).toHaveValue('Welcome');

  await call(admin, 'DELETE', `/api/projects/${project}/collections/${collection}/content/${/\d+$/.exec(entry)![0]}`);
  await admin.goto(list);
  await admin.getByRole('link', { name: 'Trash', exact: true }).click();
  await expect(admin.getByRole('link', { name: 'Welcome' })).toBeVisible();
});
