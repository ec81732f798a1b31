/** How far one item of a bulk action is. */
export type Outcome<R> = { state: 'waiting' } | { state: 'running' } | { state: 'done'; result: R } | { state: 'failed'; error: unknown };

/**
 * Runs an action on each item, at most `limit` at once, and reports each change of an outcome by
 * the position of its item. An abort starts no further items; those that run come to their end.
 */
export async function runAll<T, R>(items: readonly T[], run: (item: T) => Promise<R>, report: (index: number, outcome: Outcome<R>) => void, signal: AbortSignal, limit = 4) {
  let next = 0;
  const worker = async () => {
    while (next < items.length && !signal.aborted) {
      const index = next++;
      report(index, { state: 'running' });
      try {
        report(index, { state: 'done', result: await run(items[index]!) });
      } catch (error) {
        report(index, { state: 'failed', error });
      }
    }
  };
  await Promise.all(Array.from({ length: Math.min(limit, items.length) }, worker));
}
