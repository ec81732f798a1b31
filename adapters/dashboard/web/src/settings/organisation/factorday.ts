const dayLength = 86_400_000; // ms

/** The day of the API, such as "2026-03-02", four weeks after a time in ms: people have time to set up a second step. */
export const dayAhead = (now: number) => new Date(now + 28 * dayLength).toISOString().slice(0, 10);

/** Whether a day has begun at a time in ms. The API's days begin at midnight UTC. */
export const hasBegun = (day: string, now: number) => Date.parse(`${day}T00:00:00Z`) <= now;

type Page = { accounts: { active: boolean; factors: string[] }[]; hasMore: boolean };

const pageSize = 500;
const mostPages = 20;

/** Counts the active accounts, and those of them without a second factor. more: there are more accounts than it has read. */
export async function countWithout(read: (offset: number, limit: number) => Promise<Page>) {
  const count = { without: 0, of: 0, more: true };
  for (let page = 0; page < mostPages && count.more; page++) {
    const { accounts, hasMore } = await read(page * pageSize, pageSize);
    const active = accounts.filter((account) => account.active);
    count.of += active.length;
    count.without += active.filter((account) => account.factors.length === 0).length;
    count.more = hasMore;
  }
  return count;
}
