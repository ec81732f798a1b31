import type { Page } from '@playwright/test';
import { deflateSync } from 'node:zlib';
import { call, expect, facts, test } from './fixtures';

const worldDesk = facts.projects.worldDesk.id;
const project = `/api/projects/${worldDesk}`;

/** A picture of one colour. */
function picture(red: number, green: number, blue: number) {
  const [width, height] = [64, 40];
  const chunk = (type: string, data: Buffer) => {
    const body = Buffer.concat([Buffer.from(type), data]);
    let crc = ~0;
    for (const byte of body) {
      crc ^= byte;
      for (let bit = 0; bit < 8; bit++) crc = (crc >>> 1) ^ (crc & 1 ? 0xedb88320 : 0);
    }
    const [length, sum] = [Buffer.alloc(4), Buffer.alloc(4)];
    length.writeUInt32BE(data.length);
    sum.writeUInt32BE(~crc >>> 0);
    return Buffer.concat([length, body, sum]);
  };
  const header = Buffer.alloc(13);
  header.writeUInt32BE(width, 0);
  header.writeUInt32BE(height, 4);
  header.set([8, 2], 8);
  const row = Buffer.from([0, ...Array.from({ length: width }, () => [red, green, blue]).flat()]);
  return Buffer.concat([Buffer.from('89504e470d0a1a0a', 'hex'), chunk('IHDR', header), chunk('IDAT', deflateSync(Buffer.concat(Array.from({ length: height }, () => row)))), chunk('IEND', Buffer.alloc(0))]);
}

async function upload(page: Page, name: string, caption: string, bytes: Buffer, into = project): Promise<number> {
  const response = await page.request.post(`${facts.baseUrl}${into}/media/upload`, {
    headers: { Origin: facts.baseUrl },
    multipart: { caption, file: { name, mimeType: 'image/png', buffer: bytes } },
  });
  expect(response.ok(), await response.text()).toBeTruthy();
  return (await response.json()).id;
}

/** A collection of pages from blocks, and one entry that readers see. */
async function publishedPage(admin: Page, editor: Page, others: Page[]) {
  const stamp = Date.now();
  const component = async (slug: string, name: string, fields: unknown[]) => {
    await call(admin, 'POST', `${project}/components`, { slug: `${slug}-${stamp}`, name, fields });
    return `${slug}-${stamp}`;
  };
  const link = await component('link', 'Link', [{ name: 'label', label: 'Label', type: 'text' }]);
  const hero = await component('hero', 'Hero', [
    { name: 'title', label: 'Headline', type: 'text' },
    { name: 'image', label: 'Picture', type: 'media' },
    { name: 'links', label: 'Links', type: 'group', component: link, multiple: true },
  ]);
  const prose = await component('prose', 'Prose', [{ name: 'text', label: 'Text', type: 'richtext' }]);
  const quote = await component('quote', 'Quote', [
    { name: 'words', label: 'Words', type: 'longtext' },
    { name: 'country', label: 'Country', type: 'relation', collections: ['articles', 'countries'] },
  ]);
  const seo = await component('seo', 'Search engines', [{ name: 'title', label: 'Page title', type: 'text' }, { name: 'index', label: 'Indexed', type: 'boolean' }]);
  const { id: collection } = await call(admin, 'POST', `${project}/collections`, {
    slug: `pages-${stamp}`,
    name: 'Pages',
    fields: [
      { name: 'title', label: 'Title', type: 'text', required: true },
      { name: 'body', label: 'Body', type: 'blocks', components: [hero, prose, quote] },
      { name: 'seo', label: 'Search engines', type: 'group', component: seo },
    ],
  });
  const content = `${project}/collections/${collection}/content`;
  const [noon, dusk] = [await upload(editor, `noon-${stamp}.png`, 'The harbour at noon', picture(90, 150, 210)), await upload(editor, `dusk-${stamp}.png`, 'The harbour at dusk', picture(60, 40, 90))];
  const countries = (await call(editor, 'GET', `${project}/collections/${facts.collections.countries}/content?limit=2`)).data as { id: number; fields: { name: string } }[];
  const parts = {
    hero: { _type: hero, _key: 'hero', title: 'A quiet harbour', image: noon, links: [{ _key: 'one', label: 'Tides' }, { _key: 'two', label: 'Boats' }] },
    first: { _type: prose, _key: 'first', text: '<p>Fishermen went out for the first time since March, officials claimed.</p>' },
    old: { _type: quote, _key: 'old', words: 'Nothing has changed.', country: countries[0]!.id },
    last: { _type: prose, _key: 'last', text: '<p>The talks resume on Monday.</p>' },
  };
  const { id } = await call(editor, 'POST', content, { fields: { title: `A page of ${stamp}`, body: Object.values(parts), seo: { title: 'Harbour', index: true } } });
  const submit = () => call(editor, 'POST', `${content}/${id}/publish`, {});
  await submit();
  for (const reviewer of others) await call(reviewer, 'POST', `${content}/${id}/approval/approve`, {});
  return { content: `${content}/${id}`, collection, id, parts, submit, types: { hero, prose, quote }, dusk, countries };
}

test('a reviewer sees which blocks moved, were edited and came', async ({ as }) => {
  const [admin, editor, legal, head] = [await as('projectAdmin'), await as('editor'), await as('legal'), await as('departmentAdmin')];
  const { content, collection, id, parts, submit, types } = await publishedPage(admin, editor, [admin, legal, head]);
  const body = [
    parts.last,
    parts.hero,
    { ...parts.first, text: '<p>Fishermen went out on Tuesday for the first time since March.</p>' },
    { _type: types.quote, _key: 'new', words: 'We count the boats every morning.' },
    parts.old,
  ];
  await call(editor, 'PATCH', content, { fields: { body } });
  await submit();
  await call(admin, 'POST', `${content}/approval/approve`, {});

  await legal.goto(`/dashboard/review/${worldDesk}/${collection}/${id}`);
  const items = legal.getByRole('region', { name: 'Body' }).locator('li[data-change]');
  await expect(items).toHaveCount(5);
  expect(await items.evaluateAll((all) => all.map((item) => item.getAttribute('data-change')))).toEqual(['moved', 'folded', 'changed', 'added', 'folded']);
  await expect(items.nth(0)).toHaveText('ProseThe talks resume on Monday.Moved from 4th to 1st place');
  await expect(items.nth(1)).toHaveText('1 unchanged: Hero');
  await expect(items.nth(2)).toContainText('Edited');
  await expect(items.nth(2).locator('ins')).toHaveText(['on Tuesday ']);
  await expect(items.nth(2).locator('del')).toHaveText([', officials claimed']);
  await expect(items.nth(3)).toContainText('New in 4th place');
  await expect(items.nth(3)).toContainText('We count the boats every morning.');
  await expect(items.nth(3).locator('ins, del')).toHaveCount(0);
  await items.nth(1).getByText('1 unchanged').click();
  await expect(items.nth(1)).toContainText('A quiet harbour');
  await expect(legal.getByRole('region', { name: 'Search engines' })).toHaveCount(0);

  // The API says the same.
  const changes = (await call(legal, 'GET', `${content}/approval/changes`)) as { key: string; change: string; from?: number; to?: number }[];
  expect(changes.map(({ key, change, from, to }) => [key, change, from, to])).toEqual([
    ['last', 'moved', 3, 0],
    ['first', 'changed', 1, 2],
    ['new', 'added', undefined, 3],
  ]);

  // After a resubmission, the reviewer sees first what is new since then.
  await call(legal, 'POST', `${content}/approval/request-revision`, { comment: 'Whose words are these?' });
  body[3] = { ...body[3]!, words: 'We count the boats every morning, the harbour master said.' };
  await call(editor, 'PATCH', content, { fields: { body } });
  await submit();
  await call(admin, 'POST', `${content}/approval/approve`, {});
  await legal.reload();
  await expect(items.nth(1)).toContainText('Edited');
  expect(await items.evaluateAll((all) => all.map((item) => item.getAttribute('data-change')))).toEqual(['folded', 'changed', 'folded']);
  await expect(items.nth(1).locator('ins')).toHaveText([', the harbour master said']);
  await legal.getByRole('link', { name: 'what is public' }).click();
  await expect(items).toHaveCount(5);
});

test('pictures, links and groups inside of blocks are compared, and so are revisions', async ({ as }) => {
  const [admin, editor, legal, head] = [await as('projectAdmin'), await as('editor'), await as('legal'), await as('departmentAdmin')];
  const { content, collection, id, parts, submit, dusk, countries } = await publishedPage(admin, editor, [admin, legal, head]);
  const { hero, first, old } = parts;
  const body = [
    first,
    { ...old, words: 'Much has changed.', country: countries[1]!.id },
    { ...hero, image: dusk, links: [{ _key: 'two', label: 'Boats' }, { _key: 'one', label: 'High tide' }] },
  ];
  await call(editor, 'PATCH', content, { fields: { body, seo: { title: 'The harbour', index: true } } });
  await submit();

  const places = [`/dashboard/review/${worldDesk}/${collection}/${id}`, `/dashboard/projects/${worldDesk}/collections/${collection}/entries/${id}/history`];
  for (const place of places) {
    await admin.goto(place);
    const region = admin.getByRole('region', { name: 'Body' });
    const moved = region.locator('li[data-change=moved]').filter({ hasText: 'Hero' }).first();
    await expect(moved).toContainText('Moved from 1st to 3rd place and edited');
    await expect(moved.getByRole('img')).toHaveCount(2);
    await expect(moved.getByRole('img', { name: 'The harbour at dusk' })).toHaveJSProperty('complete', true);
    await expect(moved.getByRole('region', { name: 'Links' }).locator('li')).toHaveCount(2);
    await expect(moved.getByRole('region', { name: 'Links' }).locator('li[data-change=moved]')).toHaveCount(1);
    const removed = region.locator('li[data-change=removed]');
    await expect(removed).toContainText('Removed from 4th place');
    await expect(removed).toContainText('The talks resume on Monday.');
    const quote = region.locator('li[data-change=changed]').filter({ hasText: 'Quote' });
    await expect(quote).toContainText(countries[0]!.fields.name);
    await expect(quote).toContainText(countries[1]!.fields.name);
    await expect(admin.getByRole('region', { name: 'Search engines' }).getByRole('region', { name: 'Page title' }).locator('ins')).toHaveText(['The harbour']);
    await expect(admin.getByRole('region', { name: 'Search engines' }).getByRole('region', { name: 'Indexed' })).toHaveCount(0);
  }

  // It fits on the smallest phone, in German, with the longest words.
  const phone = await as('editor', { locale: 'de-DE', viewport: { width: 320, height: 700 }, colorScheme: 'dark' });
  for (const place of places) {
    await phone.goto(place);
    await expect(phone.getByText('Verschoben von Platz 1 auf Platz 3 und geändert')).toBeVisible();
    await expect.poll(() => phone.evaluate(() => document.documentElement.scrollWidth)).toBe(320);
  }
});

test('revisions and publications without a request are compared, with the pictures of the library', async ({ as }) => {
  const page = await as('superAdmin');
  const [blog, stamp] = [facts.projects.blog.id, Date.now()];
  const fields = [{ name: 'title', label: 'Title', type: 'text' }, { name: 'image', label: 'Picture', type: 'media' }];
  const { id: collection } = await call(page, 'POST', `/api/projects/${blog}/collections`, { slug: `pictures-${stamp}`, name: 'Pictures', fields });
  const content = `/api/projects/${blog}/collections/${collection}/content`;
  const image = await upload(page, `noon-${stamp}.png`, 'The harbour at noon', picture(90, 150, 210), `/api/projects/${blog}`);
  const { id } = await call(page, 'POST', content, { published: true, fields: { title: 'First words', image } });
  await call(page, 'PATCH', `${content}/${id}`, { published: true, fields: { title: 'Second words' } });
  for (const [from, to] of [['p1', 'p2'], ['p1', 'r2'], ['r1', 'p2']]) {
    await page.goto(`/dashboard/projects/${blog}/collections/${collection}/entries/${id}/history?from=${from}&to=${to}&all=true`);
    await expect(page.locator('main').locator('ins, del')).toHaveText(['First', 'Second']);
    const shown = page.getByRole('region', { name: 'Picture' }).getByRole('img');
    await expect(shown).toHaveCount(1);
    await expect.poll(() => shown.evaluate((img: HTMLImageElement) => img.naturalWidth)).toBe(64);
  }
});
