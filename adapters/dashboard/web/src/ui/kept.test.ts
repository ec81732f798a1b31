import { expect, test, vi } from 'vitest';
import { keep, keptAt } from './kept';

const writes: unknown[] = [];
const ends: (() => void)[] = [];
vi.mock('../editor/backup', () => ({
  backupOf: () => ({
    read: async () => undefined,
    write: ({ fields }: { fields: { value: unknown } }) => (writes.push(fields.value), new Promise<void>((end) => ends.push(end))),
    remove: async () => void writes.push('removed'),
  }),
}));

test('the first key is written at once, and the newest of those that came meanwhile is next', async () => {
  for (const text of ['H', 'He', 'Hel']) keep('1 comment', text);
  expect(keptAt('1 comment')).toBe('Hel');
  expect(writes).toEqual(['H']);
  ends.shift()!();
  await vi.waitFor(() => expect(writes).toEqual(['H', 'Hel']));
  keep('1 comment', undefined);
  ends.shift()!();
  await vi.waitFor(() => expect(writes).toEqual(['H', 'Hel', 'removed']));
});
