import { call, expect, facts, test } from './fixtures';

test('a block dragged by touch is lifted, the others leave a gap, and it lands there', async ({ as }) => {
  const page = await as('projectAdmin', { viewport: { width: 390, height: 844 } });
  const project = `/api/projects/${facts.projects.worldDesk.id}`;
  const stamp = Date.now();
  await call(page, 'POST', `${project}/components`, { slug: `drag-${stamp}`, name: 'Line', fields: [{ name: 'words', label: 'Words', type: 'text' }] });
  const { id: collection } = await call(page, 'POST', `${project}/collections`, { slug: `drags-${stamp}`, name: `Drags ${stamp}`, fields: [{ name: 'body', label: 'Body', type: 'blocks', components: [`drag-${stamp}`] }] });
  const content = `${project}/collections/${collection}/content`;
  const { id } = await call(page, 'POST', content, { fields: { body: ['One', 'Two', 'Three', 'Four'].map((words) => ({ _type: `drag-${stamp}`, words })) } });
  await page.goto(`/dashboard/projects/${facts.projects.worldDesk.id}/collections/${collection}/entries/${id}`);
  const cards = page.locator('[data-item]');
  await expect(cards).toHaveCount(4);
  const tops = () => cards.evaluateAll((all) => all.map((card) => Math.round(card.getBoundingClientRect().top)));
  const before = await tops();
  const pitch = before[1]! - before[0]!;

  const grip = (await cards.nth(0).locator('[aria-hidden]').first().boundingBox())!;
  const [x, y] = [grip.x + grip.width / 2, grip.y + grip.height / 2];
  const touch = await page.context().newCDPSession(page);
  const send = (type: 'touchStart' | 'touchMove' | 'touchEnd', at?: number) => touch.send('Input.dispatchTouchEvent', { type, touchPoints: at === undefined ? [] : [{ x, y: at }] });
  const way = Math.round(2.1 * pitch);
  await send('touchStart', y);
  for (let moved = 10; moved < way; moved += 10) await send('touchMove', y + moved);
  await send('touchMove', y + way);
  // The first follows the finger, the second and the third stand one place higher.
  await expect.poll(async () => (await tops()).map((top, i) => top - before[i]!)).toEqual([way, -pitch, -pitch, 0]);
  await send('touchEnd');
  await expect(page.getByRole('button', { name: /^Line / })).toHaveText([/Two/, /Three/, /One/, /Four/]);
  await expect(page.getByText(/moved to position 3 of 4/)).toBeAttached();
});
