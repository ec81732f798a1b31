import { expect, test } from 'vitest';
import { statusOf } from './status';

const published = { state: 'published' as const, hasUnpublishedChanges: false, scheduledPublishAt: null, trashedAt: null, approval: null };
const request = (status: string) => ({ id: 1, releaseNumber: 'CR-2026-0001', status });

test.each([
  ['published', {}],
  ['changed', { hasUnpublishedChanges: true }],
  ['draft', { state: 'draft' as const }],
  ['inReview', { approval: request('pending'), hasUnpublishedChanges: true }],
  ['scheduled', { approval: request('approved') }],
  ['scheduled', { state: 'draft' as const, scheduledPublishAt: '2026-03-03T06:00:00.000Z' }],
  ['rejected', { state: 'draft' as const, approval: request('rejected') }],
  ['revisionRequested', { hasUnpublishedChanges: true, approval: request('revision_requested') }],
  // An old request says nothing about a draft that has been published since.
  ['published', { approval: request('rejected') }],
  ['published', { approval: request('published') }],
  ['draft', { state: 'draft' as const, approval: request('withdrawn') }],
  ['trashed', { trashedAt: '2026-03-03T06:00:00.000Z', approval: request('pending') }],
])('%s', (status, facts) => {
  expect(statusOf({ ...published, ...facts })).toBe(status);
});
