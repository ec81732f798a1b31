import type { Page } from '@playwright/test';
import { call, expect, facts, test } from './fixtures';

// Measures the time of the main thread for a key in an entry with 200 blocks of rich text. Run it with
// BENCH=1 and, with OPEN=n, with n of the cards open. In Chromium 148 on two shared cores:
//
//   ms of processor time per key   OPEN=1   OPEN=200
//   in the text of a block              8         14
//   in the rich text of a block         8         14
//   in the title of the entry           7         11

const project = `/api/projects/${facts.projects.worldDesk.id}`;
const blocks = 200;
const open = Number(process.env.OPEN ?? 1);
const keys = 100;
const pause = 25; // ms between keys

/** Creates an entry with blocks and returns the path of its page. */
async function entry(page: Page) {
  const slug = `prose-${Date.now()}`;
  await call(page, 'POST', `${project}/components`, { slug, name: 'Prose', fields: [{ name: 'heading', label: 'Heading', type: 'text' }, { name: 'text', label: 'Text', type: 'richtext' }] });
  const fields = [{ name: 'title', label: 'Title', type: 'text' }, { name: 'body', label: 'Body', type: 'blocks', components: [slug] }];
  const { id: collection } = await call(page, 'POST', `${project}/collections`, { slug: `pages-${slug}`, name: 'Pages', fields });
  const text = `<p>${'The harbour was quiet that morning, and the boats lay still. '.repeat(12)}</p>`.repeat(2);
  const body = Array.from({ length: blocks }, (_, i) => ({ _type: slug, heading: `Block ${i}`, text }));
  const { id } = await call(page, 'POST', `${project}/collections/${collection}/content`, { fields: { title: 'Long', body } });
  return `/dashboard/projects/${facts.projects.worldDesk.id}/collections/${collection}/entries/${id}`;
}

for (const reducedMotion of ['no-preference', 'reduce'] as const) {
  test(`a key in an entry with ${blocks} blocks, motion: ${reducedMotion}`, async ({ as }) => {
    const page = await as('projectAdmin');
    await page.emulateMedia({ reducedMotion });
    await page.goto(await entry(page));
    const cards = page.locator('[data-item] > div > button[aria-expanded]');
    await expect(cards).toHaveCount(blocks);
    await cards.evaluateAll((all, n) => all.slice(0, n).forEach((card) => (card as HTMLElement).click()), open);
    await expect(page.locator('[contenteditable=true]')).toHaveCount(open);
    const cdp = await page.context().newCDPSession(page);
    await cdp.send('Performance.enable', { timeDomain: 'threadTicks' });
    const spent = async () => (await cdp.send('Performance.getMetrics')).metrics.find(({ name }) => name === 'TaskDuration')!.value * 1000;
    for (const target of [page.getByRole('textbox', { name: 'Heading' }).first(), page.locator('[contenteditable=true]').first(), page.getByRole('textbox', { name: 'Title' })]) {
      await target.click();
      await page.waitForTimeout(1_500); // what the click causes
      const before = await spent();
      for (let i = 0; i < keys; i++) {
        await page.keyboard.press('x');
        await page.waitForTimeout(pause);
      }
      console.log(`${String(target)}: ${(((await spent()) - before) / keys).toFixed(1)} ms of processor time per key`);
    }
  });
}
