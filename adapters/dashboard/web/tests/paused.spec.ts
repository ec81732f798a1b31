import { expect, facts, test } from './fixtures';

// The demo is not paused: the responses of a paused installation are those of the demo with what differs.
for (const [locale, said, off] of [
  ['en-GB', /paused since .*2026.*Nothing is published by time, no webhook, e-mail or notice is sent/, 'Off since a restore'],
  ['de-DE', /pausiert seit .*2026.*Nichts wird nach Zeit veröffentlicht, keine Webhooks, E-Mails und Mitteilungen/, 'Aus seit einer Wiederherstellung'],
] as const) {
  test(`every page says that the installation is paused, and which tokens are off (${locale})`, async ({ as }) => {
    const page = await as('tenantAdmin', { locale });
    await page.goto(`/dashboard/projects/${facts.projects.blog.id}/tokens`);
    await expect(page.getByRole('listitem').first()).toBeVisible();
    await expect(page.getByText(said)).toHaveCount(0);
    await expect(page.getByText(off)).toHaveCount(0);

    await page.route('**/api/session', async (route) => {
      const answer = await route.fetch();
      await route.fulfill({ response: answer, json: { ...(await answer.json()), pausedSince: '2026-11-29T12:00:00.000Z' } });
    });
    await page.route('**/tokens', async (route) => {
      if (!route.request().url().includes('/api/')) return route.fallback();
      const answer = await route.fetch();
      const { data, ...rest } = await answer.json();
      await route.fulfill({ response: answer, json: { ...rest, data: data.map((token: { allowDrafts: boolean; abilities: string[] }) => ({ ...token, off: token.abilities.length > 1 })) } });
    });
    await page.reload();
    await expect(page.getByRole('status').filter({ hasText: said })).toBeVisible();
    await expect(page.getByText(off).first()).toBeVisible();
    await page.goto('/dashboard/inbox');
    await expect(page.getByRole('status').filter({ hasText: said })).toBeVisible();
  });
}
