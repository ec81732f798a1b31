import type { Page } from '@playwright/test';
import { violations } from './axe';
import { call, expect, facts, test } from './fixtures';

const project = `/api/projects/${facts.projects.worldDesk.id}`;

type Setting = { collection: number; api: string; slug: (component: string) => string };

/** Makes a collection of pages from blocks, once for each run. */
async function pages(page: Page): Promise<Setting> {
  const stamp = Date.now();
  const component = async (slug: string, name: string, fields: unknown[]) => {
    const { id } = await call(page, 'POST', `${project}/components`, { slug: `${slug}-${stamp}`, name });
    for (const field of fields) await call(page, 'POST', `${project}/components/${id}/fields`, field);
    return `${slug}-${stamp}`;
  };
  const text = (name: string, label: string, type = 'text', more = {}) => ({ name, label, type, ...more });
  const link = await component('link', 'Link', [text('label', 'Label', 'text', { required: true }), text('url', 'URL', 'url')]);
  const hero = await component('hero', 'Hero', [text('title', 'Headline'), { name: 'links', label: 'Links', type: 'group', component: link, multiple: true }]);
  const prose = await component('prose', 'Prose', [text('text', 'Text', 'richtext')]);
  const quote = await component('quote', 'Quote', [text('words', 'Words', 'longtext')]);
  const { id } = await call(page, 'POST', `${project}/collections`, { slug: `pages-${stamp}`, name: 'Pages' });
  await call(page, 'POST', `${project}/collections/${id}/fields`, text('title', 'Title', 'text', { required: true }));
  await call(page, 'POST', `${project}/collections/${id}/fields`, { name: 'body', label: 'Body', type: 'blocks', components: [hero, prose, quote] });
  return { collection: id, api: `${project}/collections/${id}/content`, slug: (component) => `${component}-${stamp}` };
}

const saved = (page: Page) => expect(page.getByText(/^Saved \d/)).toBeVisible();
const newPage = (collection: number) => `/dashboard/projects/${facts.projects.worldDesk.id}/collections/${collection}/new`;

test('a page of blocks is written, reordered and corrected by keyboard alone', async ({ as }) => {
  const admin = await as('projectAdmin');
  const { collection, api } = await pages(admin);
  await admin.goto(newPage(collection));
  await expect(admin.getByRole('textbox', { name: 'Title' })).toBeFocused();
  await admin.keyboard.type('A page of blocks');
  const body = admin.getByRole('group', { name: 'Body', exact: true });
  const pick = async (name: string) => {
    await body.getByRole('button', { name: 'Add a block' }).focus();
    await admin.keyboard.press('Enter');
    await expect(admin.getByRole('combobox', { name: 'Add a block' })).toBeFocused();
    await admin.keyboard.type(name);
    await expect(admin.getByRole('option')).toHaveCount(1);
    await admin.keyboard.press('Enter');
  };
  await pick('hero');
  await expect(admin.getByRole('textbox', { name: 'Headline' })).toBeFocused();
  await admin.keyboard.type('Welcome');
  await admin.getByRole('button', { name: 'Add Link' }).focus();
  await admin.keyboard.press('Enter');
  await expect(admin.getByRole('textbox', { name: 'Label' })).toBeFocused();
  await pick('prose');
  await expect(admin.getByRole('textbox', { name: 'Text', exact: true })).toBeFocused();
  await admin.keyboard.type('The first paragraph.');
  await pick('quote');
  await expect(admin.getByRole('textbox', { name: 'Words' })).toBeFocused();
  await admin.keyboard.type('To be');
  await saved(admin);
  await admin.waitForURL(/entries\/\d+/);
  const id = Number(/entries\/(\d+)/.exec(admin.url())![1]);
  const stored = async () => (await call(admin, 'GET', `${api}/${id}`)).fields.body as Record<string, unknown>[];
  const types = async () => (await stored()).map((item) => String(item._type).split('-')[0]);
  expect(await types()).toEqual(['hero', 'prose', 'quote']);

  // Alt with an arrow key moves the card, and the focus stays on it.
  const card = body.getByRole('button', { name: /^Quote To be/ }).first();
  await card.focus();
  await admin.keyboard.press('Alt+ArrowUp');
  await expect(card).toBeFocused();
  await expect(body.getByText('Quote: moved to position 2 of 3')).toBeAttached();
  // The copy is another item.
  await body.getByRole('button', { name: 'More for Quote 2' }).focus();
  await admin.keyboard.press('Enter');
  await admin.getByRole('menuitem', { name: 'Duplicate' }).focus();
  await admin.keyboard.press('Enter');
  await expect.poll(types).toEqual(['hero', 'quote', 'quote', 'prose']);
  expect(new Set((await stored()).map((item) => item._key)).size).toBe(4);

  // A fault inside of a closed card opens it.
  const hero = body.getByRole('button', { name: /^Hero/ }).first();
  await hero.focus();
  await admin.keyboard.press('Enter');
  await expect(hero).toHaveAttribute('aria-expanded', 'false');
  await admin.reload();
  await expect(hero).toContainText('1 problem');
  await expect(hero).toHaveAttribute('aria-expanded', 'false');
  await admin.getByRole('button', { name: /^Body .*required/i }).focus();
  await admin.keyboard.press('Enter');
  await expect(admin.getByRole('textbox', { name: 'Label' })).toBeFocused();
  await admin.keyboard.type('Read on');
  await expect(hero).not.toContainText('problem');
  await expect.poll(async () => (await stored())[0]).toMatchObject({ title: 'Welcome', links: [{ label: 'Read on' }] });

  // A removed block comes back.
  await body.getByRole('button', { name: 'More for Prose 4' }).focus();
  await admin.keyboard.press('Enter');
  await admin.getByRole('menuitem', { name: 'Remove' }).focus();
  await admin.keyboard.press('Enter');
  await expect.poll(types).toEqual(['hero', 'quote', 'quote']);
  await admin.getByRole('button', { name: 'Undo', exact: true }).last().focus();
  await admin.keyboard.press('Enter');
  await expect.poll(types).toEqual(['hero', 'quote', 'quote', 'prose']);
  expect((await stored())[3]).toMatchObject({ text: '<p>The first paragraph.</p>' });
});

test('two editors of blocks are merged by block, and choose only where both changed the same one', async ({ as }) => {
  const [one, other] = [await as('projectAdmin'), await as('editor')];
  const { collection, api, slug } = await pages(one);
  const items = [
    { _type: slug('hero'), _key: 'h', title: 'Welcome' },
    { _type: slug('quote'), _key: 'q', words: 'To be' },
    { _type: slug('prose'), _key: 'p', text: '<p>The first paragraph.</p><p>The last one.</p>' },
  ];
  const { id } = await call(one, 'POST', api, { fields: { title: 'Two editors', body: items } });
  const body = async () => (await call(one, 'GET', `${api}/${id}`)).fields.body;
  for (const page of [one, other]) {
    await page.goto(`/dashboard/projects/${facts.projects.worldDesk.id}/collections/${collection}/entries/${id}`);
    for (const name of ['Hero', 'Quote', 'Prose']) await page.getByRole('button', { name: new RegExp(`^${name}`) }).first().click();
  }
  const headline = (page: Page) => page.getByRole('textbox', { name: 'Headline' });
  const words = (page: Page) => page.getByRole('textbox', { name: 'Words' });
  const text = (page: Page) => page.getByRole('textbox', { name: 'Text', exact: true });

  // Different blocks: no question.
  await headline(one).fill('Welcome to one');
  await saved(one);
  await words(other).fill('To be or not');
  await saved(other);
  await expect(headline(other)).toHaveValue('Welcome to one');
  await expect.poll(body).toMatchObject([{ title: 'Welcome to one' }, { words: 'To be or not' }, {}]);

  // The same text of a block: a question about this text alone, beside edits of other blocks and paragraphs.
  await one.reload();
  for (const name of ['Hero', 'Quote', 'Prose']) await one.getByRole('button', { name: new RegExp(`^${name}`) }).first().click();
  await headline(one).fill('The headline of one');
  await text(one).getByText('The last one.').click();
  await one.keyboard.press('End');
  await one.keyboard.type(' Longer.');
  await saved(one);
  await expect.poll(body).toMatchObject([{ title: 'The headline of one' }, {}, { text: '<p>The first paragraph.</p><p>The last one. Longer.</p>' }]);
  await headline(other).fill('The headline of other');
  await words(other).fill('The words of other');
  await text(other).getByText('The first paragraph.').click();
  await other.keyboard.press('End');
  await other.keyboard.type(' Of other.');
  const question = other.getByRole('region', { name: 'Two versions of the same text' });
  await expect(question).toContainText('Body');
  await question.getByRole('button', { name: 'Choose' }).click();
  const dialog = other.getByRole('dialog', { name: 'Two versions of the same text' });
  await expect(dialog.getByRole('group', { name: /›/ })).toHaveCount(1);
  const part = dialog.getByRole('group', { name: 'Body › Hero “The headline of other” › Headline' });
  await expect(part).toContainText('The headline of one');
  expect(await violations(other)).toEqual([]);
  await part.getByRole('radio', { name: 'Paul Lindqvist' }).focus();
  await other.keyboard.press('Space');
  await dialog.getByRole('button', { name: 'Save the choice' }).click();
  await saved(other);
  await expect(headline(other)).toHaveValue('The headline of one');
  expect(await body()).toMatchObject([
    { title: 'The headline of one' },
    { words: 'The words of other' },
    { text: '<p>The first paragraph. Of other.</p><p>The last one. Longer.</p>' },
  ]);
});
