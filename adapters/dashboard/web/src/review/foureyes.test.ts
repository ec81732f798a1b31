import { expect, test } from 'vitest';
import { obstacle } from './foureyes';

const user = (id: number) => ({ kind: 'user' as const, id, name: 'Ada' });
const token = { kind: 'token' as const, id: 7, name: 'CI', madeBy: 6 };
const approved = { type: 'approve' as const, stepOrder: 1, actor: user(9) } as never;
const request = { allowSelfApproval: false, submittedBy: user(7), contributors: [user(8), token], actions: [approved], status: 'pending' as const, canAct: false, currentStep: { stepOrder: 2 } as never };

test('who is barred', () => {
  expect([7, 8, 6, 9, 5].map((id) => obstacle(request, id))).toEqual(['submitted', 'changed', 'changedByToken', 'approved', 'role']);
  expect([true, false].map((allowSelfApproval) => obstacle({ ...request, allowSelfApproval, currentStep: { stepOrder: 1 } as never }, 9))).toEqual(['seated', 'seated']);
  expect(obstacle({ ...request, submittedBy: token }, 6)).toBe('submittedByToken');
  expect(obstacle({ ...request, submittedBy: token }, 7)).toBe('role'); // 7 is the id of the token
});

test('who is not', () => {
  expect(obstacle({ ...request, canAct: true }, 8)).toBeUndefined();
  expect(obstacle({ ...request, allowSelfApproval: true }, 8)).toBe('role');
  expect(obstacle({ ...request, status: 'published' }, 8)).toBeUndefined();
});
