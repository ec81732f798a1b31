import { expect, test } from 'vitest';
import type { Schemas } from '../api/client';
import * as de from '../texts/de';
import * as en from '../texts/en';
import { distinct } from './queries';
import { heldRole } from '../ui/heldrole';
import { pathOf, sentenceOf } from './said';

const kinds: Schemas['Notice']['kind'][] = ['your_turn', 'rejected', 'revision_requested', 'approved', 'published', 'withdrawn', 'unpublished', 'unreachable', 'publication_failed', 'release_failed', 'comment', 'mention', 'resolved', 'delegation', 'overdue', 'webhook_off', 'account'];
const changes: Schemas['Notice']['event'][] = ['user.updated', 'member.updated', 'member.removed', 'role.given', 'role.taken'];

test.each([en, de])('each notice has a sentence of its own', ({ notices: { sentence } }) => {
  const all = [
    ...kinds.map((kind) => sentenceOf({ kind, event: 'entry.created' }, sentence)),
    ...changes.slice(1).map((event) => sentenceOf({ kind: 'account', event }, sentence)),
    ...changes.slice(1).map((event) => sentenceOf({ kind: 'account', event, role: 'editor' }, sentence)),
    sentenceOf({ kind: 'your_turn', event: 'request.approved' }, sentence),
    sentenceOf({ kind: 'your_turn', event: 'request.submitted', reminder: true }, sentence),
  ];
  expect(new Set(all).size).toBe(all.length);
  for (const said of all) expect(said.replace(/\{(who|what|role|place)\}/g, '')).not.toMatch(/[{}]/);
  expect(sentenceOf({ kind: 'your_turn', event: 'request.approved', reminder: true }, sentence)).toBe(sentence.reminder);
});

test('a role is named with its place', () => {
  const named = (event: string, role?: string) => [en, de].map(({ common }) => heldRole({ event, role, place: 'Blog' }, common.heldRoles));
  expect(named('member.updated', 'editor')).toEqual(['Editor of the project Blog', 'Redakteur des Projekts Blog']);
  expect(named('member.removed', 'tenant_admin')).toEqual(['Admin of the organisation Blog', 'Administrator der Organisation Blog']);
  expect(named('role.given', 'Legal')).toEqual(['“Legal” of the department Blog', '„Legal“ der Abteilung Blog']);
  expect(named('role.taken', 'editor')).toEqual(['“editor” of the department Blog', '„editor“ der Abteilung Blog']);
  expect(named('member.updated')).toEqual([undefined, undefined]);
});

test('a failed publication and a webhook that is off name no actor', () => {
  for (const { notices } of [en, de]) {
    expect(notices.sentence.kinds.publication_failed).not.toContain('{who}');
    expect(notices.sentence.kinds.webhook_off).not.toContain('{who}');
  }
});

test('links are paths of the router', () => {
  expect(pathOf('/dashboard/review/1/2/42')).toBe('/review/1/2/42');
  expect(pathOf('/dashboardless')).toBe('/dashboardless');
});

test('a notice that moved to the next page is shown once', () => {
  const notice = (id: number) => ({ id }) as Schemas['Notice'];
  expect(distinct([{ data: [notice(3), notice(2)] }, { data: [notice(2), notice(1)] }]).map(({ id }) => id)).toEqual([3, 2, 1]);
});
