import type { Schemas } from '../../api/client';

type RoleKind = Schemas['WorkflowStep']['requiredRoleKind'];

export type RemindUnit = 'hours' | 'days';

/** A time; count null: none. */
export type Period = { count: number | null; unit: RemindUnit };

const hoursOf = { hours: 1, days: 24 };

/** What holds for a step or not, with the value in a new step. The editor has a checkbox for each, in this order. */
export const stepOptions = {
  allowRevision: true,
  allowRejection: true,
  /** Whether a decision needs a fresh proof of who the reviewer is. */
  reauthenticate: false,
  /** Whether a user may decide on behalf of another. */
  delegable: false,
};

export type StepOption = keyof typeof stepOptions;

export const stepOptionNames = Object.keys(stepOptions) as StepOption[];

/** A step of a workflow that is being edited. */
export type Step = Record<StepOption, boolean> & {
  /** Identifies the step in the editor; not sent. */
  id: string;
  label: string;
  roleKind: RoleKind;
  customRoleId: number | null;
  /** After how long its reviewers are reminded; count null: never. */
  remind: Period;
  /** After how long it is overdue. */
  due: Period;
  /** Who may decide as well after a time; null: no others. */
  escalate: { after: Period; roleKind: RoleKind; customRoleId: number | null } | null;
  /** What the signatures of decisions can mean; empty: they are not signed. */
  meanings: readonly string[];
  /** How many different users must approve. */
  approvals: number | null;
  /** The changes that it applies to; null: all. */
  when: Condition | null;
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
export const newStep = (): Step => ({ id: `new${next++}`, label: '', roleKind: 'admin', customRoleId: null, ...stepOptions, remind: periodOf(), due: periodOf(), escalate: null, meanings: [], approvals: 1, when: null, together: false, unreachable: false, reasons: [] });

/** The options of a step; one that is left out has the value of a new step. */
const optionsOf = (step: Partial<Record<StepOption, boolean>>) => Object.fromEntries(stepOptionNames.map((name) => [name, step[name] ?? stepOptions[name]])) as Record<StepOption, boolean>;

/** Hours as the editor shows them: whole days as days. */
export function periodOf(hours?: number): Period {
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
      ...optionsOf(step),
      remind: periodOf(step.remindAfter),
      due: periodOf(step.dueIn),
      escalate: step.escalate ? { after: periodOf(step.escalate.after), roleKind: step.escalate.requiredRoleKind ?? 'admin', customRoleId: step.escalate.requiredCustomRoleId ?? null } : null,
      meanings: step.signature?.meanings ?? [],
      approvals: step.approvals ?? 1,
      when: step.when ? { ...noCondition, ...step.when } : null,
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
      ...optionsOf(step),
      approvals: step.approvals ?? 1,
      ...(step.when && { when: conditionOf(step.when) }),
      remindAfter: inHours(step.remind),
      ...(signed(step).length > 0 && { signature: { meanings: signed(step) } }),
      ...(step.due.count !== null && { dueIn: inHours(step.due) }),
      ...(step.escalate && {
        escalate: {
          after: inHours(step.escalate.after) ?? 0,
          ...(step.escalate.customRoleId === null ? { requiredRoleKind: step.escalate.roleKind } : { requiredCustomRoleId: step.escalate.customRoleId }),
        },
      }),
    })),
  };
}

/** The meanings without empty lines, which a person is about to write. */
const signed = ({ meanings }: Step) => meanings.map((meaning) => meaning.trim()).filter((meaning) => meaning !== '');

const inHours = ({ count, unit }: Period) => (count === null ? null : count * hoursOf[unit]);

/** A condition as the API has it: without its empty lists. */
export const conditionOf = (when: Condition): Schemas['ConditionInput'] => Object.fromEntries(Object.entries(when).filter(([, list]) => list.length > 0));

/** The role that decides a step as one value: a role kind, or "custom" with the id of a custom role. */
export type Decider = RoleKind | `custom${number}`;

export const deciderOf = (step: Pick<Step, 'roleKind' | 'customRoleId'>): Decider => (step.customRoleId === null ? step.roleKind : `custom${step.customRoleId}`);

export function withDecider(step: Step, decider: Decider): Step {
  // The API requires a role kind for custom roles, too, so the step keeps its role kind.
  return { ...step, unreachable: false, reasons: [], ...roleOf(decider) };
}

export function roleOf(decider: Decider) {
  const custom = /^custom(\d+)$/.exec(decider);
  return custom ? { customRoleId: Number(custom[1]) } : { roleKind: decider as RoleKind, customRoleId: null };
}
