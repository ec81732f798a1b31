import { expect, test } from 'vitest';
import { chosen, contains, kinds, withAll, withKind, withType } from './choice';

test('a kind stands for its types', () => {
  const patterns = withKind(['entry.published'], 'media', true);
  expect(patterns).toEqual(['entry.published', 'media.*']);
  expect(chosen(patterns)).toEqual(['entry.published', 'media.created', 'media.updated', 'media.deleted']);
  expect(contains(patterns, 'entry.updated')).toBe(false);
  expect(withKind(patterns, 'media', false)).toEqual(['entry.published']);
  expect(withKind(['media.created', 'media.deleted'], 'media', true)).toEqual(['media.*']);
});

test('one type less of a kind, or of all, leaves the others', () => {
  expect(withType(['media.*'], 'media.updated', false)).toEqual(['media.created', 'media.deleted']);
  const rest = withType(withAll(true), 'media.updated', false);
  expect(rest).toContain('entry.*');
  expect(rest).not.toContain('media.*');
  expect(chosen(rest)).toHaveLength(chosen(['*']).length - 1);
  expect(withKind(['*'], 'entry', false)).toHaveLength(kinds.length - 1);
});
