import { expect, test } from 'vitest';
import { before, timeline, type Publication, type Revision } from './timeline';

const at = (minute: number) => `2026-03-02T11:${String(minute).padStart(2, '0')}:00.000Z`;
const revision = (number: number, minute: number) => ({ number, updatedAt: at(minute) }) as Revision;
const publication = (number: number, minute: number) => ({ number, publishedAt: at(minute) }) as Publication;

test('both lists are merged, a publication before a revision of the same time', () => {
  const { moments, more } = timeline({ items: [revision(3, 30), revision(2, 20), revision(1, 10)], more: false }, { items: [publication(2, 25), publication(1, 10)], more: false });
  expect(moments.map((m) => m.name)).toEqual(['r3', 'p2', 'r2', 'p1', 'r1']);
  expect(more).toBe(false);
  expect(before(moments, 'r3')).toBe('r2');
  expect(before(moments, 'p2')).toBe('p1');
  expect(before(moments, 'p1')).toBeUndefined();
});

test('the timeline ends where one list has items that are not loaded', () => {
  const { moments, more } = timeline({ items: [revision(9, 30), revision(8, 20)], more: true }, { items: [publication(2, 25), publication(1, 5)], more: false });
  expect(moments.map((m) => m.name)).toEqual(['r9', 'p2', 'r8']);
  expect(more).toBe(true);
});

test('the timeline is empty while one list has no items yet', () => {
  const { moments, more } = timeline({ items: [revision(9, 30)], more: false }, { items: [], more: true });
  expect(moments).toEqual([]);
  expect(more).toBe(true);
});
