import { expect, test } from 'vitest';
import { earlierOf } from './earlier';

const action = (type: string, id: number, comment: string | null = null) => ({ type, actor: { kind: 'user', id, name: '' }, comment }) as never;
const request = (id: number, status: string, ...actions: never[]) => ({ id, status, actions }) as never as { id: number; status: 'pending'; actions: never[] };

test('the default is what the user reviewed last, or else what anyone did, since the last publication', () => {
  const history = [
    request(9, 'pending', action('submit', 1)),
    request(8, 'revision_requested', action('submit', 1), action('request_revision', 3, 'b')),
    request(7, 'rejected', action('submit', 1, 'a'), action('approve', 2), action('reject', 3, 'c')),
    request(6, 'withdrawn', action('submit', 1)),
    request(5, 'published', action('approve', 2)),
  ];
  expect(earlierOf(history, 9, 2)).toMatchObject({ reviewed: { id: 7 }, isMine: true, first: { id: 6 } });
  expect(earlierOf(history, 9, 4)).toMatchObject({ reviewed: { id: 8 }, isMine: false, first: { id: 6 } });
  expect(earlierOf(history, 9, 4).comments.map(({ action }) => action.comment)).toEqual(['b', 'c', 'a']);
  expect(earlierOf(history, 5, 4)).toMatchObject({ reviewed: undefined, first: undefined, comments: [] });
  expect(earlierOf([], 9, 4).comments).toEqual([]);
});
