import { expect, test } from 'vitest';
import { statusOf } from './status';

const draft = { state: 'draft', hasUnpublishedChanges: false, trashedAt: null, scheduledPublishAt: null, scheduledPublishFault: null, approval: null } as const;
const request = (status: string) => ({ id: 1, releaseNumber: 'CR-2026-0001', status });

test.each([
  ['draft', {}],
  ['published', { state: 'published' }],
  ['changed', { state: 'published', hasUnpublishedChanges: true }],
  ['inReview', { state: 'published', hasUnpublishedChanges: true, approval: request('pending') }],
  ['scheduled', { scheduledPublishAt: '2026-01-01T00:00:00Z', approval: request('approved') }],
  ['failed', { scheduledPublishAt: '2026-01-01T00:00:00Z', scheduledPublishFault: 'no' }],
  ['sentBack', { approval: request('revision_requested') }],
  ['rejected', { approval: request('rejected') }],
  ['published', { state: 'published', approval: request('rejected') }],
  ['draft', { approval: request('published') }],
  ['trashed', { state: 'published', trashedAt: '2026-01-01T00:00:00Z' }],
] as const)('%s', (status, entry) => {
  expect(statusOf({ ...draft, ...entry })).toBe(status);
});
