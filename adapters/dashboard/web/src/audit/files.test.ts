import { expect, test } from 'vitest';
import { fileOf } from './files';
import type { Event } from './queries';

const event = (name: string): Event => ({ id: 7, type: 'entry.published', at: '2026-03-02T09:30:00.000Z', actor: { kind: 'user', id: 6, name }, projectId: 2, entryId: 42, slug: 'first-light' });

test('JSON Lines are the events', () => {
  const lines = fileOf([event('Ada'), event('Emil')], 'jsonl').split('\n');
  expect(lines).toHaveLength(3);
  expect(JSON.parse(lines[1]!)).toEqual(event('Emil'));
  expect(fileOf([], 'jsonl')).toBe('');
});

test.each([
  ['Ada', 'Ada'],
  ['Ada "A", Lovelace', '"Ada ""A"", Lovelace"'],
  ['=HYPERLINK("x")', '"\'=HYPERLINK(""x"")"'],
  ['two\nlines', '"two\nlines"'],
])('CSV has the name %j', (name, written) => {
  const [header, ...rows] = fileOf([event(name)], 'csv').split('\r\n');
  expect(header).toMatch(/^id,type,at,actorKind,actorId,actorName,/);
  expect(rows).toEqual([`7,entry.published,2026-03-02T09:30:00.000Z,user,6,${written},,2,,,42,,,first-light,,,`, '']);
});
