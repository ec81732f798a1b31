import { expect, test } from 'vitest';
import { parseUse } from './use';

test.each([
  ['departments/1/approval-workflow', { kind: 'department', departmentId: 1 }],
  ['projects/3/approval-workflow', { kind: 'project', projectId: 3 }],
  ['projects/1/collections/2/content/548/approval', { kind: 'request', projectId: 1, collectionId: 2, entryId: 548 }],
  ['collections/articles/entries/7', undefined],
  ['', undefined],
])('%s', (location, want) => expect(parseUse(location)).toEqual(want));
