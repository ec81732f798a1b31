import { expect, test } from 'vitest';
import type { Schemas } from '../api/client';
import * as de from '../texts/de';
import * as en from '../texts/en';
import { distinct } from './queries';
import { pathOf, sentenceOf } from './said';

const kinds: Schemas['Notice']['kind'][] = ['your_turn', 'rejected', 'revision_requested', 'approved', 'published', 'withdrawn', 'publication_failed', 'webhook_off', 'account'];
const changes = ['user.updated', 'member.updated', 'member.removed', 'role.given', 'role.taken'];

test.each([en, de])('each notice has a sentence of its own', ({ notices: { sentence } }) => {
  const all = [
    ...kinds.map((kind) => sentenceOf({ kind, event: 'another' }, sentence)),
    ...changes.slice(1).map((event) => sentenceOf({ kind: 'account', event }, sentence)),
    sentenceOf({ kind: 'your_turn', event: 'request.approved' }, sentence),
    sentenceOf({ kind: 'your_turn', event: 'request.submitted', reminder: true }, sentence),
  ];
  expect(new Set(all).size).toBe(all.length);
  for (const said of all) expect(said.replace(/\{(who|what)\}/g, '')).not.toMatch(/[{}]/);
  expect(sentenceOf({ kind: 'your_turn', event: 'request.approved', reminder: true }, sentence)).toBe(sentence.reminder);
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
