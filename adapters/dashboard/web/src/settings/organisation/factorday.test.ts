import { expect, test } from 'vitest';
import { countWithout, dayAhead, hasBegun } from './factorday';

test('the day is four weeks ahead, and begins at midnight UTC', () => {
  expect(dayAhead(Date.parse('2026-11-27T23:59:00Z'))).toBe('2026-12-25');
  expect(hasBegun('2026-12-25', Date.parse('2026-12-24T23:59:59Z'))).toBe(false);
  expect(hasBegun('2026-12-25', Date.parse('2026-12-25T00:00:00Z'))).toBe(true);
});

test('counts the active accounts without a second factor, page by page', async () => {
  const read: number[][] = [];
  const pages = [
    [
      { active: true, factors: [] },
      { active: true, factors: ['totp'] },
    ],
    [
      { active: false, factors: [] },
      { active: true, factors: [] },
    ],
  ];
  const found = await countWithout(async (offset, limit) => {
    read.push([offset, limit]);
    return { accounts: pages[offset / limit]!, hasMore: offset === 0 };
  });
  expect(found).toEqual({ without: 2, of: 3, more: false });
  expect(read).toEqual([
    [0, 500],
    [500, 500],
  ]);
  expect(await countWithout(async () => ({ accounts: pages[0]!, hasMore: true }))).toEqual({ without: 20, of: 40, more: true });
});
