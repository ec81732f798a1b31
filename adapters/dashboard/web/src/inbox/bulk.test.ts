import { expect, test } from 'vitest';
import type { Schemas } from '../api/client';
import { hasApproved, hasTimes, mustRead } from './bulk';

type Request = Schemas['ApprovalRequest'];

const step = { stepId: 1, stepOrder: 1, stepLabel: 'Desk', requiredRoleKind: 'admin', requiredCustomRoleId: null, allowRejection: true, allowRevision: true } as Request['steps'][number];
const seen = { id: 1, status: 'pending', contentHash: 'a', currentStep: step, canAct: true, canReschedule: true, contentChanged: false, scheduledPublishAt: null, scheduledUnpublishAt: null, actions: [] } as unknown as Request;
const at = '2031-01-02T03:00:00.000Z';

test.each<[string, 'approve' | 'schedule', Partial<Request>, ReturnType<typeof mustRead>]>([
  ['unchanged', 'approve', {}, undefined],
  ['unchanged', 'schedule', {}, undefined],
  ['replaced', 'approve', { id: 2 }, 'newer'],
  ['published', 'approve', { status: 'published', currentStep: null }, 'decided'],
  ['published', 'schedule', { status: 'published', currentStep: null }, 'decided'],
  ['approved', 'approve', { status: 'approved', currentStep: null }, 'decided'],
  ['at another step', 'approve', { currentStep: { ...step, stepId: 2 } }, 'changed'],
  ['with other content', 'approve', { contentHash: 'b' }, 'changed'],
  ['with another time', 'approve', { scheduledPublishAt: at }, 'changed'],
  ['with another end', 'schedule', { scheduledUnpublishAt: at }, 'changed'],
  ['with an edited draft', 'approve', { contentChanged: true }, 'draft'],
  ['with an edited draft', 'schedule', { contentChanged: true }, undefined],
  ['at a step that asks for a proof', 'approve', { currentStep: { ...step, reauthenticate: true } }, 'proof'],
  ['at a step that asks for a proof', 'schedule', { currentStep: { ...step, reauthenticate: true } }, undefined],
  ['for another person', 'approve', { canAct: false }, 'unable'],
  ['for another person', 'schedule', { canReschedule: false }, 'unable'],
])('a request %s, to %s', (_, action, change, reading) => {
  expect(mustRead(action, seen, { ...seen, ...change })).toBe(reading);
});

test('an approved request can be scheduled', () => {
  const approved = { ...seen, status: 'approved', currentStep: null } as Request;
  expect(mustRead('schedule', approved, approved)).toBeUndefined();
});

test('an approval whose answer was lost is found', () => {
  const by = (id: number, stepOrder: number, type = 'approve') => ({ ...seen, actions: [{ type, stepOrder, actor: { kind: 'user', id } }] }) as unknown as Request;
  expect(hasApproved(seen, by(7, 1), 7)).toBe(true);
  expect(hasApproved(seen, by(8, 1), 7)).toBe(false);
  expect(hasApproved(seen, by(7, 2), 7)).toBe(false);
  expect(hasApproved(seen, by(7, 1, 'reschedule'), 7)).toBe(false);
  expect(hasApproved(seen, { ...by(7, 1), id: 2 }, 7)).toBe(false);
});

test('times are compared as moments, and an absent one is not', () => {
  const planned = { ...seen, scheduledPublishAt: at };
  expect(hasTimes(planned, { publishAt: '2031-01-02T03:00:00Z' })).toBe(true);
  expect(hasTimes(planned, { publishAt: at, unpublishAt: at })).toBe(false);
  expect(hasTimes(seen, { publishAt: at })).toBe(false);
});
