import { expect, test } from 'vitest';
import { collectionFound, enough, merged, projectFound } from './searchfind';

const names = (groups: ReturnType<typeof merged>) => groups.map(({ kind, found }) => [kind, ...found.map((f) => f.label)]);
const desk = projectFound({ id: 1, name: 'World Desk' });
const articles = collectionFound({ id: 2, name: 'Articles', projectId: 1, projectName: 'World Desk' });
const other = collectionFound({ id: 3, name: 'More articles', projectId: 2, projectName: 'Blog' });

test('results of the server follow those that are known, once each and by kind', () => {
  expect(names(merged('ART', { projects: [desk], collections: [articles] }, { collections: [articles, other] }, false))).toEqual([['collections', 'Articles', 'More articles']]);
  expect(names(merged('', { projects: [desk], collections: [articles] }, {}, false))).toEqual([['collections', 'Articles'], ['projects', 'World Desk']]);
});

test('results for other words remain while they match', () => {
  expect(names(merged('more', {}, { collections: [articles, other] }, true))).toEqual([['collections', 'More articles']]);
  expect(names(merged('blog', {}, { collections: [articles, other] }, true))).toEqual([['collections', 'More articles']]);
  expect(merged('nothing', {}, { collections: [articles] }, true)).toEqual([]);
});

test('each kind has few results', () => {
  const many = Array.from({ length: 20 }, (_, i) => projectFound({ id: i, name: `Desk ${i}` }));
  expect(merged('desk', { projects: many }, { projects: many }, false)[0]!.found).toHaveLength(8);
});

test('one character is enough in scripts without spaces', () => {
  expect(['橋', 'か', 'カ', '한', 'ก', 'ab', 'é1'].map(enough)).not.toContain(false);
  expect(['', 'a', 'é', 'ض', '😀', '!', '!!', '-- _'].map(enough)).not.toContain(true);
});
