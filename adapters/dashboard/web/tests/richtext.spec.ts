import type { Page } from '@playwright/test';
import { forms } from '../src/editor/richtext/clipboard.fixture';
import { articles, call, expect, facts, test } from './fixtures';

const body = (page: Page) => page.getByRole('textbox', { name: 'Body' });
const stored = async (page: Page, id: number) => (await call(page, 'GET', `${articles.api}/${id}`)).fields.body as string | null;
const becomes = (page: Page, id: number, want: string | RegExp) => expect.poll(() => stored(page, id)).toEqual(typeof want === 'string' ? want : expect.stringMatching(want));

async function draft(page: Page, html: string) {
  const { id } = await call(page, 'POST', articles.api, { fields: { title: `Rich text ${Date.now()}`, body: html } });
  await page.goto(articles.entry(id));
  await expect(body(page)).toBeVisible();
  return id as number;
}

type Clip = { html?: string; files?: { name: string; type: string; base64: string }[] };

/** Pastes what a program has put into the clipboard, or drops it. The clipboard of the browser would change the HTML. */
async function paste(page: Page, { html, files = [] }: Clip, as: 'paste' | 'drop' = 'paste') {
  await body(page).evaluate(
    (element, { html, files, as }) => {
      const data = new DataTransfer();
      if (html !== undefined) data.setData('text/html', html);
      for (const { name, type, base64 } of files) data.items.add(new File([Uint8Array.from(atob(base64), (c) => c.charCodeAt(0))], name, { type }));
      const { left, top } = element.getBoundingClientRect();
      const init = { bubbles: true, cancelable: true };
      element.dispatchEvent(as === 'paste' ? new ClipboardEvent('paste', { ...init, clipboardData: data }) : new DragEvent('drop', { ...init, dataTransfer: data, clientX: left + 20, clientY: top + 20 }));
    },
    { html, files, as },
  );
}

const png = 'iVBORw0KGgoAAAANSUhEUgAAAAIAAAACCAIAAAD91JpzAAAAEElEQVR4nGPQCFgARAwQCgAczgRhucoNZAAAAABJRU5ErkJggg==';
const screenshot = { name: 'image.png', type: 'image/png', base64: png };

test('pasted texts keep their structure, also when they are saved again', async ({ as }) => {
  const page = await as('editor');
  const id = await draft(page, '<p>x</p>');
  for (const { html, want } of Object.values(forms)) {
    await body(page).click();
    await page.keyboard.press('ControlOrMeta+a');
    await paste(page, { html });
    await becomes(page, id, want);
  }
  await paste(page, { html: '<p style="color:red">y</p><script>z</script>' });
  await expect(page.getByText('Removed on pasting: script, style')).toBeVisible();

  const all = Object.values(forms).map(({ want }) => want).join('') + '<p>end</p>';
  await call(page, 'PATCH', `${articles.api}/${id}`, { fields: { body: all } });
  await page.reload();
  await body(page).getByText('end', { exact: true }).click();
  await page.keyboard.press('End');
  await page.keyboard.type('ing');
  await becomes(page, id, all.replace('<p>end</p>', '<p>ending</p>'));
  for (let i = 0; i < 3; i++) await page.keyboard.press('Backspace');
  await becomes(page, id, all);
});

test('pasted and dropped files go to the library, and one that is refused stops nothing', async ({ as }) => {
  const page = await as('editor');
  const id = await draft(page, '<p>x</p>');
  await body(page).click();
  await paste(page, { files: [screenshot] });
  await becomes(page, id, /<img [^>]*data-media="\d+"/);
  await paste(page, { html: `<p>in the text <img src="data:image/png;base64,${png}" alt="Chart"></p>` });
  await becomes(page, id, /in the text <img[^>]*alt="Chart"[^>]*data-media="\d+"/);
  await paste(page, { files: [{ ...screenshot, name: 'dropped.png' }] }, 'drop');
  await expect.poll(async () => (await stored(page, id))!.match(/data-media/g)?.length).toBe(3);

  await paste(page, { files: [{ name: 'setup.exe', type: 'application/octet-stream', base64: btoa('MZ\x90\x00\x03\x00\x00\x00\x04') }] });
  await expect(page.getByText('setup.exe is not uploaded')).toBeVisible();
  await expect(page.getByText(/not accepted/)).toBeVisible();
  await body(page).click();
  await page.keyboard.press('ControlOrMeta+End');
  await page.keyboard.type(' and saved');
  await becomes(page, id, / and saved/);
  await page.getByRole('button', { name: 'Remove setup.exe from the list' }).click();
  await expect(page.getByText('setup.exe is not uploaded')).toBeHidden();
});

test('a picture of another site is a named frame, until it is copied', async ({ as }) => {
  const page = await as('editor');
  const library = (await call(page, 'GET', `/api/projects/${facts.projects.worldDesk.id}/media?type=image&perPage=1`)).data[0];
  const id = await draft(page, '<p>See <img src="https://pictures.example/a.png" alt="the harbour"></p>');
  await expect(body(page).getByText('Picture from another site, pictures.example')).toBeVisible();
  await page.route('**/media/copy', (route) => route.fulfill({ status: 422, json: { type: 'about:blank', title: 'x', status: 422, code: 'invalid', errors: [{ location: 'url', message: 'cannot be loaded: its server does not answer' }] } }));
  await page.getByRole('button', { name: 'Copy into the library' }).click();
  await expect(page.getByText('Not copied: cannot be loaded: its server does not answer')).toBeVisible();
  await page.unroute('**/media/copy');
  await page.route('**/media/copy', (route) => route.fulfill({ status: 201, json: library }));
  await page.getByRole('button', { name: 'Copy into the library' }).click();
  await becomes(page, id, new RegExp(`<img[^>]*data-media="${library.id}"[^>]*alt="the harbour"|<img[^>]*alt="the harbour"[^>]*data-media="${library.id}"`));

  await body(page).getByRole('img', { name: 'the harbour' }).click();
  await page.getByRole('textbox', { name: 'Alternative text' }).fill('Oslo: 50 % “fog”');
  await becomes(page, id, /alt="Oslo: 50 % “fog”"/);
});

test('Tab moves in tables and lists, and Escape lets it leave', { tag: '@firefox' }, async ({ as }) => {
  const page = await as('editor');
  const id = await draft(page, '<table><tbody><tr><td>a</td><td>b</td></tr></tbody></table><ul><li>one</li><li>two</li></ul>');
  await body(page).getByText('a', { exact: true }).click();
  await page.keyboard.press('End');
  await page.keyboard.press('Tab');
  await page.keyboard.press('End');
  await page.keyboard.type('2');
  await page.keyboard.press('Shift+Tab');
  await page.keyboard.press('End');
  await page.keyboard.type('1');
  await page.keyboard.press('Tab');
  await page.keyboard.press('Tab');
  await page.keyboard.type('c');
  await becomes(page, id, /<tr><td>a1<\/td><td>b2<\/td><\/tr><tr><td>c<\/td><td><\/td><\/tr>/);
  await body(page).getByText('two').click();
  await page.waitForFunction(() => getSelection()?.anchorNode?.parentElement?.closest('li'));
  await page.keyboard.press('Tab');
  await becomes(page, id, /<li>one<ul><li>two<\/li><\/ul><\/li>/);
  await page.keyboard.press('Shift+Tab');
  await becomes(page, id, /<li>one<\/li><li>two<\/li>/);
  await page.keyboard.press('Escape');
  await page.keyboard.press('Tab');
  await expect(body(page)).not.toBeFocused();
});

test('a link can point to an entry', async ({ as }) => {
  const page = await as('editor');
  const title = `Target ${Date.now()}`;
  const target = await call(page, 'POST', articles.api, { fields: { title } });
  const id = await draft(page, '<p>read this</p>');
  await body(page).click();
  await page.keyboard.press('ControlOrMeta+a');
  await page.keyboard.press('ControlOrMeta+u');
  await page.keyboard.press('ControlOrMeta+k');
  await page.getByRole('button', { name: 'Link to an entry' }).click();
  await page.getByRole('combobox', { name: 'Entry to link to' }).fill(title);
  await page.getByRole('option', { name: title }).click();
  await becomes(page, id, new RegExp(`<a [^>]*data-entry="${target.id}"`));
  expect(await stored(page, id)).toContain('<u>');
});

test('a paragraph has the direction of its first letter', async ({ as }) => {
  const page = await as('editor');
  const { id } = await call(page, 'POST', articles.api, { fields: { title: `Bridges ${Date.now()}`, body: '<p>افتتاح الجسر.</p><p>The bridge.</p>' } });
  await page.goto(articles.entry(id));
  /** Where the first and the last character of a paragraph are, in pixels from the left. */
  const ends = (words: string) =>
    body(page)
      .getByText(words)
      .evaluate((p) => {
        const text = p.firstChild as Text;
        return [0, text.length - 1].map((at) => {
          const range = document.createRange();
          range.setStart(text, at);
          range.setEnd(text, at + 1);
          return range.getBoundingClientRect().left;
        }) as [number, number];
      });
  const [first, stop] = await ends('افتتاح الجسر.');
  expect(stop).toBeLessThan(first);
  const [latin, end] = await ends('The bridge.');
  expect(end).toBeGreaterThan(latin);
});
