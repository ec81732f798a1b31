/** The state of one item of a bulk action. */
export type Outcome<R> = { state: 'waiting' } | { state: 'running' } | { state: 'done'; result: R } | { state: 'failed'; error: unknown };

/**
 * Runs an action on each item, at most `limit` at once. It calls `report` with the index of an item for
 * each new outcome. After an abort, running items finish and no others start.
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
