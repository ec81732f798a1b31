import type { Schemas } from '../../api/client';

type RoleKind = Schemas['WorkflowStep']['requiredRoleKind'];

export type RemindUnit = 'hours' | 'days';

const hoursOf = { hours: 1, days: 24 };

/** A step of a workflow that is being edited. */
export type Step = {
  /** Identifies the step in the editor; not sent. */
  id: string;
  label: string;
  roleKind: RoleKind;
  customRoleId: number | null;
  allowRejection: boolean;
  allowRevision: boolean;
  /** After how long its reviewers are reminded; count null: never. */
  remind: { count: number | null; unit: RemindUnit };
  /** Whether a decision needs a fresh proof of who the reviewer is. */
  reauthenticate: boolean;
  /** How many different users must approve. */
  approvals: number | null;
  /** The changes that it applies to; null: all. */
  when: Condition | null;
  /** Whether a user may decide on behalf of another. */
  delegable: boolean;
  /** Whether it is open together with the step before it. */
  together: boolean;
  unreachable: boolean;
  /** Why no user can decide the step, if that is so. */
  reasons: readonly string[];
};

/** The changes that a step applies to; an empty list sets no limit. */
export type Condition = { collections: string[]; fields: string[]; locales: string[]; actions: NonNullable<Schemas['Condition']['actions']> };

export const noCondition: Condition = { collections: [], fields: [], locales: [], actions: [] };

export type WorkflowValues = {
  steps: Step[];
  allowSelfApproval: boolean;
  /** The slugs of collections that need no review. */
  exempt: string[];
  /** Who takes published entries offline at once. */
  unpublishing: Schemas['Workflow']['unpublishing'];
};

export const maxSteps = 20;

let next = 1;

/** Returns a new step, which admins of the Project decide. */
export const newStep = (): Step => ({ id: `new${next++}`, label: '', roleKind: 'admin', customRoleId: null, allowRejection: true, allowRevision: true, remind: remindOf(), reauthenticate: false, approvals: 1, when: null, delegable: false, together: false, unreachable: false, reasons: [] });

/** Hours as the editor shows them: whole days as days. */
function remindOf(hours?: number): Step['remind'] {
  if (!hours) return { count: null, unit: 'hours' };
  return hours % hoursOf.days === 0 ? { count: hours / hoursOf.days, unit: 'days' } : { count: hours, unit: 'hours' };
}

export function valuesOf(workflow: Schemas['Workflow'] | undefined): WorkflowValues {
  return {
    allowSelfApproval: workflow?.allowSelfApproval ?? true,
    exempt: workflow?.exempt?.collections ?? [],
    unpublishing: workflow?.unpublishing ?? 'free',
    steps: (workflow?.steps ?? []).map((step, i, all) => ({
      id: `step${i + 1}`,
      label: step.stepLabel ?? '',
      roleKind: step.requiredRoleKind,
      customRoleId: step.requiredCustomRoleId,
      allowRejection: step.allowRejection,
      allowRevision: step.allowRevision,
      remind: remindOf(step.remindAfter),
      reauthenticate: step.reauthenticate ?? false,
      approvals: step.approvals ?? 1,
      when: step.when ? { ...noCondition, ...step.when } : null,
      delegable: step.delegable ?? false,
      together: i > 0 && all[i - 1]!.stepOrder === step.stepOrder,
      unreachable: step.unreachable ?? false,
      reasons: step.reasons ?? [],
    })),
  };
}

/** The stepOrder of each step: from 1, and that of the step before it for one that is open together with it. */
export function ordersOf(steps: readonly Step[]) {
  let order = 0;
  return steps.map((step, i) => (i > 0 && step.together ? order : ++order));
}

/** The request body that sets the workflow. */
export function bodyOf({ steps, allowSelfApproval, exempt, unpublishing }: WorkflowValues): Schemas['WorkflowInput'] {
  const orders = ordersOf(steps);
  return {
    allowSelfApproval,
    unpublishing,
    ...(exempt.length > 0 && { exempt: { collections: exempt } }),
    steps: steps.map((step, i) => ({
      stepOrder: orders[i]!,
      stepLabel: step.label.trim() || null,
      requiredRoleKind: step.roleKind,
      requiredCustomRoleId: step.customRoleId,
      allowRejection: step.allowRejection,
      allowRevision: step.allowRevision,
      reauthenticate: step.reauthenticate,
      approvals: step.approvals ?? 1,
      ...(step.when && { when: conditionOf(step.when) }),
      delegable: step.delegable,
      remindAfter: step.remind.count === null ? null : step.remind.count * hoursOf[step.remind.unit],
    })),
  };
}

/** A condition as the API has it: without its empty lists. */
export const conditionOf = (when: Condition): Schemas['ConditionInput'] => Object.fromEntries(Object.entries(when).filter(([, list]) => list.length > 0));

/** The role that decides a step as one value: a role kind, or "custom" with the id of a custom role. */
export type Decider = RoleKind | `custom${number}`;

export const deciderOf = (step: Step): Decider => (step.customRoleId === null ? step.roleKind : `custom${step.customRoleId}`);

export function withDecider(step: Step, decider: Decider): Step {
  const custom = /^custom(\d+)$/.exec(decider);
  // The API requires a role kind for custom roles, too, so the step keeps its role kind.
  return { ...step, unreachable: false, reasons: [], ...(custom ? { customRoleId: Number(custom[1]) } : { roleKind: decider as RoleKind, customRoleId: null }) };
}
