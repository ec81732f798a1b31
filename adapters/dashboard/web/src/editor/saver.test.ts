import { expect, test } from 'vitest';
import { saverAt } from './saver';

const user = (id: number) => ({ kind: 'user' as const, id, name: `User ${id}` });
const revisions = [
  { by: user(2), createdAt: '2026-01-02T10:20:00.000Z' },
  { by: user(1), createdAt: '2026-01-02T10:10:00.000Z' },
];

test.each([
  ['2026-01-02T10:25:00.000Z', 2],
  ['2026-01-02T10:15:00.000Z', 1], // also if a later write extended that revision
  ['2026-01-02T10:05:00.000Z', undefined],
])('who saved at %s', (at, id) => expect(saverAt(revisions, at)?.id).toBe(id));
