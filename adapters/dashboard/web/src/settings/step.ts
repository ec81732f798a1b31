import type { Schemas } from '../api/client';

type RoleKind = Schemas['WorkflowStep']['requiredRoleKind'];

/** A step of a workflow that is being edited. */
export type Step = {
  /** Identifies the step in the editor only. */
  id: string;
  label: string;
  roleKind: RoleKind;
  customRoleId: number | null;
  allowRejection: boolean;
  allowRevision: boolean;
  unreachable: boolean;
};

export type WorkflowValues = { steps: Step[]; allowSelfApproval: boolean };

export const maxSteps = 20;

let next = 1;

/** A new step that an admin of the Project decides. */
export const newStep = (): Step => ({ id: `new${next++}`, label: '', roleKind: 'admin', customRoleId: null, allowRejection: true, allowRevision: true, unreachable: false });

export function valuesOf(workflow: Schemas['Workflow'] | undefined): WorkflowValues {
  return {
    allowSelfApproval: workflow?.allowSelfApproval ?? true,
    steps: (workflow?.steps ?? []).map((step) => ({
      id: `step${step.stepOrder}`,
      label: step.stepLabel ?? '',
      roleKind: step.requiredRoleKind,
      customRoleId: step.requiredCustomRoleId,
      allowRejection: step.allowRejection,
      allowRevision: step.allowRevision,
      unreachable: step.unreachable ?? false,
    })),
  };
}

/** The body of the request that sets the workflow. The steps are numbered as they stand. */
export function bodyOf({ steps, allowSelfApproval }: WorkflowValues): Schemas['WorkflowInput'] {
  return {
    allowSelfApproval,
    steps: steps.map((step, i) => ({
      stepOrder: i + 1,
      stepLabel: step.label.trim() || null,
      requiredRoleKind: step.roleKind,
      requiredCustomRoleId: step.customRoleId,
      allowRejection: step.allowRejection,
      allowRevision: step.allowRevision,
    })),
  };
}

/** Who decides a step, as one value of a choice: a role, or "custom" with the id of a custom role. */
export type Decider = RoleKind | `custom${number}`;

export const deciderOf = (step: Step): Decider => (step.customRoleId === null ? step.roleKind : `custom${step.customRoleId}`);

export function withDecider(step: Step, decider: Decider): Step {
  const custom = /^custom(\d+)$/.exec(decider);
  // The API wants a role kind beside a custom role too; the step keeps the one it had.
  return { ...step, unreachable: false, ...(custom ? { customRoleId: Number(custom[1]) } : { roleKind: decider as RoleKind, customRoleId: null }) };
}
