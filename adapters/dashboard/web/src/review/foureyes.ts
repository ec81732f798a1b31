import type { Schemas } from '../api/client';

type Request = Pick<Schemas['ApprovalRequest'], 'allowSelfApproval' | 'submittedBy' | 'contributors' | 'actions' | 'status' | 'canAct' | 'currentStep'>;
type Actor = Schemas['ApprovalRequest']['submittedBy'];

/** Why the user may not act on a request. */
export type Obstacle = 'submitted' | 'submittedByToken' | 'changed' | 'changedByToken' | 'approved' | 'seated' | 'role';

const personOf = (actor: Actor) => (actor.kind === 'user' ? actor.id : actor.madeBy);

/** The reason why the user may not act on a pending request, as the server decides it; undefined if there is none. */
export function obstacle(request: Request, userId: number): Obstacle | undefined {
  if (request.canAct || request.status !== 'pending') return undefined;
  const approvals = request.actions.filter((a) => a.type === 'approve' && (a.actor.id === userId || a.onBehalfOf?.id === userId));
  if (approvals.some((a) => a.stepOrder === request.currentStep?.stepOrder)) return 'seated';
  if (request.allowSelfApproval) return 'role';
  const { submittedBy } = request;
  if (personOf(submittedBy) === userId) return submittedBy.kind === 'user' ? 'submitted' : 'submittedByToken';
  const changed = request.contributors.find((actor) => personOf(actor) === userId);
  if (changed) return changed.kind === 'user' ? 'changed' : 'changedByToken';
  return approvals.length > 0 ? 'approved' : 'role';
}
