import AxeBuilder from '@axe-core/playwright';
import { expect, facts, test } from './fixtures';

const worldDesk = facts.projects.worldDesk.id;
const articles = facts.collections.articles;

/** All pages that a super admin can open. */
const routes = [
  '/inbox',
  '/calendar',
  '/account',
  `/projects/${worldDesk}`,
  `/projects/${worldDesk}/collections`,
  `/projects/${worldDesk}/collections/${articles}`,
  `/projects/${worldDesk}/collections/${articles}/definition`,
  `/projects/${worldDesk}/collections/${articles}/new`,
  `/projects/${worldDesk}/media`,
  `/projects/${worldDesk}/workflow`,
  `/projects/${worldDesk}/members`,
  `/projects/${worldDesk}/tokens`,
  `/projects/${worldDesk}/languages`,
  `/projects/${worldDesk}/settings`,
  '/organisation',
  `/organisation/tenants/${facts.tenantId}`,
  `/organisation/departments/${facts.departments.newsroom}`,
  '/organisation/users',
];

for (const colorScheme of ['light', 'dark'] as const) {
  for (const width of [320, 1360]) {
    test(`every page is accessible, ${colorScheme}, ${width} px`, async ({ as }) => {
      test.setTimeout(240_000);
      const page = await as('superAdmin', { colorScheme, viewport: { width, height: 900 } });
      const entries = await (await page.request.get(`/api/projects/${worldDesk}/collections/${articles}/content?limit=100`)).json();
      const reviewed = entries.data.find((e: { approval: { status: string } | null }) => e.approval?.status === 'pending').id;
      const one = `/projects/${worldDesk}/collections/${articles}/entries/${reviewed}`;
      for (const route of [...routes, one, `${one}/history`, `/review/${worldDesk}/${articles}/${reviewed}`]) {
        await page.goto(`/dashboard${route}`);
        await page.waitForLoadState('networkidle');
        await expect(page.locator('main')).not.toContainText('There is no such page');
        const found = await new AxeBuilder({ page }).analyze();
        expect.soft(
          found.violations.map((v) => `${v.id}: ${v.nodes.map((n) => n.html.slice(0, 120)).join(' | ')}`),
          route,
        ).toEqual([]);
        const overflow = await page.evaluate(() => document.documentElement.scrollWidth - document.documentElement.clientWidth);
        expect.soft(overflow, `${route} scrolls sideways`).toBeLessThanOrEqual(0);
      }
    });
  }
}
