import { expect, test } from 'vitest';
import { runAll, type Outcome } from './bulk';

const pause = () => new Promise((resolve) => setTimeout(resolve, 1));

test('at most four items run at once, and a failure does not stop others', async () => {
  let running = 0;
  let most = 0;
  const outcomes: Outcome<number>[] = [];
  const run = async (n: number) => {
    most = Math.max(most, ++running);
    await pause();
    running--;
    if (n % 3 === 0) throw new Error(`no ${n}`);
    return n * 2;
  };
  const items = Array.from({ length: 20 }, (_, i) => i);
  await runAll(items, run, (i, outcome) => (outcomes[i] = outcome), new AbortController().signal);
  expect(most).toBe(4);
  expect(outcomes.map((o) => o.state)).toEqual(items.map((n) => (n % 3 === 0 ? 'failed' : 'done')));
  expect(outcomes[4]).toEqual({ state: 'done', result: 8 });
});

test('after an abort, running items finish and no others start', async () => {
  const stop = new AbortController();
  const outcomes: Outcome<number>[] = [];
  const run = async (n: number) => {
    await pause();
    if (n === 1) stop.abort();
    return n;
  };
  await runAll([0, 1, 2, 3, 4, 5], run, (i, outcome) => (outcomes[i] = outcome), stop.signal, 2);
  expect(outcomes.filter((o) => o.state === 'done').length).toBeLessThanOrEqual(3);
  expect(outcomes.some((o) => o.state === 'running')).toBe(false);
});
