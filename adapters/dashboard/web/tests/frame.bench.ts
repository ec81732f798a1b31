import { call, expect, expectFault, facts, test } from './fixtures';
import { framed } from './framed';

// Measures how long after a key the frame of a site shows what was typed. Run it with BENCH=1. The figures are of a site
// that draws in the browser, in Chromium 148 on two cores beside other work:
//
//   ms   p50   p90   p99
//        342   402   478

const keys = Number(process.env.KEYS ?? 100);
const gap = 1_200; // ms between keys, so that each is saved on its own: saves are at least a second apart

test('a key in the title', async ({ as }) => {
  test.setTimeout(300_000);
  const page = await as('superAdmin');
  const project = await call(page, 'POST', `/api/tenants/${facts.tenantId}/projects`, { name: `Typed ${Date.now()}` });
  const site = await framed(project.uuid);
  await call(page, 'PATCH', `/api/projects/${project.id}`, { previewOrigins: [site.url] });
  const fields = [{ name: 'title', label: 'Title', type: 'text' }, { name: 'text', label: 'Text', type: 'longtext' }];
  const { id: collection } = await call(page, 'POST', `/api/projects/${project.id}/collections`, { slug: 'pages', name: 'Pages', fields, previewUrl: `${site.url}/site/pages/{id}` });
  const { id } = await call(page, 'POST', `/api/projects/${project.id}/collections/${collection}/content`, { fields: { title: 'x' }, published: true });
  await page.goto(`/dashboard/projects/${project.id}/collections/${collection}/entries/${id}`);
  await page.getByRole('button', { name: 'Preview', exact: true }).click();
  const heading = page.frameLocator('iframe[src^="/dashboard/frame/"]').frameLocator('iframe').getByRole('heading');
  await expect(heading).toHaveText('x');
  await heading.evaluate((element) => {
    const shown: Record<string, number> = {};
    Object.assign(window, { shown });
    new MutationObserver(() => (shown[element.textContent!] ??= Date.now())).observe(element, { childList: true, characterData: true, subtree: true });
  });
  const title = page.getByRole('textbox', { name: 'Title' });
  await title.focus();
  await page.keyboard.press('End');
  const pressed: number[] = [];
  for (let i = 0; i < keys; i++) {
    pressed.push(Date.now());
    await page.keyboard.press('x');
    await page.waitForTimeout(gap);
  }
  await expect(heading).toHaveText('x'.repeat(keys + 1));
  const shown = await heading.evaluate(() => (window as unknown as { shown: Record<string, number> }).shown);
  const took = pressed.flatMap((at, i) => shown['x'.repeat(i + 2)]! - at || []).sort((a, b) => a - b);
  console.log(`${took.length} of ${keys} keys; ms: ${[50, 90, 99].map((p) => `p${p} ${took[Math.min(took.length - 1, Math.floor((took.length * p) / 100))]}`).join(', ')}`);
  await site.close();
  expectFault(page, /^request: http:\/\/localhost:/);
});
