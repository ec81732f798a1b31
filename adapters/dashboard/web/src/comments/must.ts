import type { Schemas } from '../api/client';

/** Returns how many of the comments on a request keep a step from being approved. */
export const mustOf =
  (request: Schemas['ApprovalRequest'], stepId: number | undefined) =>
  ({ data }: { data: Schemas['Comment'][] }) =>
    data.filter((c) => c.state === 'open' && c.must !== undefined && Math.min(c.must, request.steps.length) === stepId).length;
