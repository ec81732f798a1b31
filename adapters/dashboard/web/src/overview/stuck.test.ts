import { expect, test } from 'vitest';
import { isStuck, longest } from './stuck';

const now = Date.parse('2026-11-23T12:00:00Z');
const step = (oldestSince: string, medianSeconds: number | null) => ({ label: 'Legal', stepOrder: 2, count: 1, oldestSince, medianSeconds });

test('a step is stuck when it takes much longer than usual', () => {
  expect(isStuck(step('2026-11-23T06:00:00Z', 60), now)).toBe(false); // never stuck within the first day
  expect(isStuck(step('2026-11-22T06:00:00Z', 60), now)).toBe(true);
  expect(isStuck(step('2026-11-20T12:00:01Z', 3 * 86_400), now)).toBe(false);
  expect(isStuck(step('2026-11-16T12:00:00Z', 3 * 86_400), now)).toBe(true);
  expect(isStuck(step('2026-11-21T12:00:00Z', null), now)).toBe(false);
  expect(isStuck(step('2026-11-19T12:00:00Z', null), now)).toBe(true);
});

test('the step with the oldest request waits longest', () => {
  const steps = [step('2026-11-22T06:00:00Z', null), step('2026-11-20T06:00:00Z', 60), step('2026-11-21T06:00:00Z', null)];
  expect(longest(steps, now)).toBe(steps[1]);
  expect(longest([], now)).toBeUndefined();
});
