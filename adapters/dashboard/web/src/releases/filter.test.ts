import { expect, test } from 'vitest';
import { countedOf, countsOf, filtered, neighbours } from './filter';
import type { Member } from './queries';

const member = (entryId: number, kind: Member['kind'], changed: string[], more: Partial<Member> = {}) => ({ entryId, kind, changed, seen: false, unchanged: false, ...more }) as Member;
const members = [
  member(1, 'changed', ['title', 'price'], { unchanged: true, seen: true }),
  member(2, 'new', ['title']),
  member(3, 'changed', ['price'], { seen: true }),
  member(4, 'unpublish', []),
];

test('members that changed since the decision come first, and filters are joined', () => {
  const ids = (filter: Parameters<typeof filtered>[1]) => filtered(members, filter).map(({ entryId }) => entryId);
  expect(ids({})).toEqual([2, 3, 4, 1]);
  expect(ids({ kind: 'changed' })).toEqual([3, 1]);
  expect(ids({ path: 'title' })).toEqual([2, 1]);
  expect(ids({ kind: 'new', path: 'price' })).toEqual([]);
});

test('unchanged members do not count as seen or to be seen', () => {
  expect(countsOf(members)).toEqual({ all: 4, new: 1, changed: 2, unpublish: 1, fresh: 3, seen: 1 });
});

test('paths are counted by member, the most frequent first', () => {
  expect(countedOf([...members, member(5, 'changed', ['price'])], 'changed')).toEqual([
    { value: 'price', count: 3 },
    { value: 'title', count: 2 },
  ]);
  expect(countedOf([], 'changed')).toEqual([]);
});

test('the neighbours of a member are those of the filtered list', () => {
  const list = filtered(members, {});
  expect(neighbours(list, 3)).toMatchObject({ index: 1, previous: { entryId: 2 }, next: { entryId: 4 } });
  expect(neighbours(list, 1)).toMatchObject({ next: undefined });
  expect(neighbours(list, undefined)).toMatchObject({ index: -1, previous: undefined, next: { entryId: 2 } });
});

test('members are filtered by language and collection', () => {
  const list = [member(1, 'new', [], { locale: 'en', collection: 'news' }), member(2, 'new', [], { locale: 'de', collection: 'news' }), member(3, 'new', [], { locale: 'de', collection: 'pages' })];
  expect(filtered(list, { locale: 'de' }).map(({ entryId }) => entryId)).toEqual([2, 3]);
  expect(filtered(list, { locale: 'de', collection: 'news' }).map(({ entryId }) => entryId)).toEqual([2]);
  expect(countedOf(list, 'locale')).toEqual([{ value: 'de', count: 2 }, { value: 'en', count: 1 }]);
});
