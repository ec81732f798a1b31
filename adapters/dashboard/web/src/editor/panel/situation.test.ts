import { expect, test } from 'vitest';
import { situationOf } from './situation';

const draft = { state: 'draft', status: 'draft', hasUnpublishedChanges: false, trashedAt: null, scheduledPublishAt: null, scheduledPublishFault: null, approval: null } as never;
const entry = (change: object) => ({ ...(draft as object), ...change }) as never;
const request = (status: string) => ({ approval: { id: 1, releaseNumber: 'CR', status } });

test.each([
  ['unknown', undefined, undefined, false],
  ['send', undefined, true, false],
  ['publish', draft, false, false],
  ['inReview', entry({ ...request('pending'), status: 'in_review' }), true, true],
  ['approved', entry({ ...request('approved'), scheduledPublishAt: 'x' }), true, false],
  ['scheduled', entry({ scheduledPublishAt: 'x' }), false, false],
  ['upToDate', entry({ state: 'published' }), true, false],
  ['send', entry({ state: 'published' }), true, true],
  ['publish', entry({ state: 'published', hasUnpublishedChanges: true }), false, false],
  ['send', entry(request('rejected')), true, false],
] as const)('%s', (situation, one, governed, unsaved) => expect(situationOf(one, governed, unsaved)).toBe(situation));
