import type { Schemas } from '../api/client';

type Request = Schemas['ApprovalRequest'];

export type BulkAction = 'approve' | 'schedule';

/** The times that requests get together. An absent one stays. */
export type Times = { publishAt?: string; unpublishAt?: string };

/** Why a request is left out of a decision about several: the user has to read it alone. */
export type Reading = 'release' | 'newer' | 'decided' | 'changed' | 'draft' | 'proof' | 'unable';

const open = (request: Request, action: BulkAction) => request.status === 'pending' || (action === 'schedule' && request.status === 'approved');

/** Returns why the request must be read alone; undefined if it can be decided together with others. seen is the request as the list showed it, now as it is. */
export function mustRead(action: BulkAction, seen: Request, now: Request): Reading | undefined {
  if (seen.kind === 'release') return 'release';
  if (now.id !== seen.id) return 'newer';
  if (!open(now, action)) return 'decided';
  if (now.contentHash !== seen.contentHash || now.currentStep?.stepId !== seen.currentStep?.stepId || !sameTimes(now, seen)) return 'changed';
  if (action === 'schedule') return now.canReschedule ? undefined : 'unable';
  if (!now.canAct) return 'unable';
  if (now.currentStep?.reauthenticate || now.currentStep?.signature) return 'proof';
  return now.contentChanged ? 'draft' : undefined;
}

const sameTimes = (a: Request, b: Request) => a.scheduledPublishAt === b.scheduledPublishAt && a.scheduledUnpublishAt === b.scheduledUnpublishAt;

/** Whether the user has approved the step that was seen: an approval may arrive although its answer is lost. */
export function hasApproved(seen: Request, now: Request, userId: number) {
  return now.id === seen.id && now.actions.some((a) => a.type === 'approve' && (a.stepId === undefined ? a.stepOrder === seen.currentStep?.stepOrder : a.stepId === seen.currentStep?.stepId) && a.actor.kind === 'user' && a.actor.id === userId);
}

/** Whether the request has the times. */
export function hasTimes(now: Request, { publishAt, unpublishAt }: Times) {
  return same(publishAt, now.scheduledPublishAt) && same(unpublishAt, now.scheduledUnpublishAt);
}

const same = (wanted: string | undefined, is: string | null) => wanted === undefined || (is !== null && Date.parse(wanted) === Date.parse(is));
