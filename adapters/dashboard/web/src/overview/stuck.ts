import type { Schemas } from '../api/client';

type Step = Schemas['WaitingStep'];

const day = 86_400; // seconds
const withoutHistory = 3 * day;

const waited = (step: Step, now: number) => (now - Date.parse(step.oldestSince)) / 1000;

/**
 * Whether the oldest request at a step has waited for more than a day and more than twice the
 * median of the step. Without a median, the limit is three days.
 */
export function isStuck(step: Step, now: number) {
  return waited(step, now) > (step.medianSeconds === null ? withoutHistory : Math.max(day, 2 * step.medianSeconds));
}

/** The step at which a request has waited longest. */
export function longest(steps: readonly Step[], now: number) {
  return steps.reduce<Step | undefined>((found, step) => (found && waited(found, now) >= waited(step, now) ? found : step), undefined);
}
