import { expect, test } from 'vitest';
import { bodyOf, deciderOf, newStep, valuesOf, withDecider } from './step';

const workflow = {
  scope: 'department' as const,
  allowSelfApproval: false,
  unpublishing: 'reviewed' as const,
  updatedAt: '',
  steps: [
    { stepOrder: 10, stepLabel: 'Desk', requiredRoleKind: 'admin' as const, requiredCustomRoleId: null, allowRejection: true, allowRevision: false },
    { stepOrder: 20, stepLabel: null, requiredRoleKind: 'tenant_admin' as const, requiredCustomRoleId: 4, allowRejection: true, allowRevision: true, remindAfter: 48, reauthenticate: true, delegable: true, unreachable: true },
  ],
};

test('steps are numbered by position, and an empty label becomes null', () => {
  const { steps, allowSelfApproval, unpublishing } = bodyOf(valuesOf(workflow));
  expect([allowSelfApproval, unpublishing]).toEqual([false, 'reviewed']);
  expect(steps).toEqual([
    { stepOrder: 1, stepLabel: 'Desk', requiredRoleKind: 'admin', requiredCustomRoleId: null, allowRejection: true, allowRevision: false, reauthenticate: false, approvals: 1, delegable: false, remindAfter: null },
    { stepOrder: 2, stepLabel: null, requiredRoleKind: 'tenant_admin', requiredCustomRoleId: 4, allowRejection: true, allowRevision: true, reauthenticate: true, approvals: 1, delegable: true, remindAfter: 48 },
  ]);
});

test('steps that are open together keep their number, and the number of approvals', () => {
  const [desk, board] = workflow.steps;
  const values = valuesOf({ ...workflow, steps: [desk!, { ...desk!, approvals: 3 }, board!] });
  expect(values.steps.map((step) => [step.together, step.approvals])).toEqual([[false, 1], [true, 3], [false, 1]]);
  expect(bodyOf(values).steps.map((step) => [step.stepOrder, step.approvals])).toEqual([[1, 1], [1, 3], [2, 1]]);
  const moved = { ...values, steps: [values.steps[1]!, values.steps[2]!, values.steps[0]!] };
  expect(bodyOf(moved).steps.map((step) => step.stepOrder)).toEqual([1, 2, 3]);
});

test('a step keeps why no user can decide it, until another role decides it', () => {
  const [, step] = valuesOf({ ...workflow, steps: [workflow.steps[0]!, { ...workflow.steps[1]!, reasons: ['no active user has the role of the step'] }] }).steps;
  expect(step).toMatchObject({ unreachable: true, reasons: ['no active user has the role of the step'] });
  expect(withDecider(step!, 'admin')).toMatchObject({ unreachable: false, reasons: [] });
});

test('whole days are shown as days, and nothing is lost', () => {
  const shown = (remindAfter: number) => valuesOf({ ...workflow, steps: [{ ...workflow.steps[0]!, remindAfter }] });
  for (const [hours, remind] of [[1, { count: 1, unit: 'hours' }], [36, { count: 36, unit: 'hours' }], [24, { count: 1, unit: 'days' }], [720, { count: 30, unit: 'days' }]] as const) {
    expect(shown(hours).steps[0]!.remind).toEqual(remind);
    expect(bodyOf(shown(hours)).steps[0]!.remindAfter).toBe(hours);
  }
});

test('a custom role replaces the role kind, and the reverse', () => {
  const custom = withDecider(newStep(), 'custom7');
  expect(deciderOf(custom)).toBe('custom7');
  expect(custom).toMatchObject({ roleKind: 'admin', customRoleId: 7 });
  expect(withDecider(custom, 'tenant_admin')).toMatchObject({ roleKind: 'tenant_admin', customRoleId: null });
});

test('collections without review are sent only if there are some', () => {
  expect(bodyOf(valuesOf(workflow))).not.toHaveProperty('exempt');
  expect(bodyOf(valuesOf({ ...workflow, exempt: { collections: ['tags'] } })).exempt).toEqual({ collections: ['tags'] });
});

test('deadlines and escalations are kept in hours, and left out without one', () => {
  const escalate = { after: 72, requiredCustomRoleId: 4 };
  const values = valuesOf({ ...workflow, steps: [{ ...workflow.steps[0]!, dueIn: 48, escalate }, { ...workflow.steps[0]!, dueIn: 5, escalate: { after: 7, requiredRoleKind: 'admin' } }] });
  expect(values.steps.map(({ due, escalate }) => [due.count, due.unit, escalate?.after.count, escalate?.customRoleId])).toEqual([[2, 'days', 3, 4], [5, 'hours', 7, null]]);
  expect(bodyOf(values).steps.map(({ dueIn, escalate }) => [dueIn, escalate])).toEqual([[48, escalate], [5, { after: 7, requiredRoleKind: 'admin' }]]);
  expect(bodyOf(valuesOf(workflow)).steps.some((step) => 'dueIn' in step || 'escalate' in step)).toBe(false);
});
