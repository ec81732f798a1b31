import { describe, expect, test } from 'vitest';
import { operatorsOf, type Collection, type Field } from './fields';
import { nextSort, queryPairs, queryString, readerQuery, tableQuery } from './query';
import { parseEntriesSearch } from './search';

const field = (name: string, type: Field['type'], more: Partial<Field> = {}): Field => ({ name, label: name, type, multiple: false, hidden: false, ...more });
const articles: Collection = { id: 2, slug: 'articles', name: 'Articles', fields: [field('title', 'text'), field('summary', 'longtext'), field('views', 'number'), field('secret', 'text', { hidden: true })] };

const url = (search: Parameters<typeof tableQuery>[0]) => queryString(queryPairs(tableQuery(search, articles)));

describe('the query of a table', () => {
  test('every kind of condition', () => {
    expect(
      url({
        where: [
          ['title', 'like', 'a & b'],
          ['views', 'between', '1', '5'],
          ['title', 'in', 'one, two', 'three'],
          ['summary', 'null'],
          ['views', 'eq', '7'],
        ],
        sort: 'views:desc,title:asc',
        locale: 'fr-CA',
      }),
    ).toBe(
      'where[title][like]=a+%26+b&where[views][between][]=1&where[views][between][]=5&where[title][in][]=one,+two&where[title][in][]=three&where[summary][null]=true&where[views]=7&sort=views:desc,title:asc&locale=fr-CA&state=with_draft',
    );
  });
  test('a search covers all text fields that are not hidden', () => {
    expect(url({ q: 'sea' })).toBe('or[0][title][like]=sea&or[1][summary][like]=sea&sort=updatedAt:desc&state=with_draft');
  });
  test('words of searchable texts, in their own order', () => {
    const found = { ...articles, searches: true };
    const query = (search: Parameters<typeof tableQuery>[0]) => queryString(queryPairs(tableQuery(search, found)));
    expect(query({ q: 'sea side' })).toBe('search=sea+side&state=with_draft');
    expect(query({ q: 'sea', sort: 'title:asc' })).toBe('search=sea&sort=title:asc&state=with_draft');
    expect(query({ q: '%' })).toBe('or[0][title][like]=%25&or[1][summary][like]=%25&sort=updatedAt:desc&state=with_draft');
    expect(queryString(queryPairs(readerQuery({ q: 'sea', state: 'published' }, found)))).toBe('search=sea');
  });
  test('blanks and opening quotation marks search for nothing yet', () => {
    for (const q of [' ', '\u3000', '"', '„', '« ']) {
      expect(tableQuery({ q }, articles)).toMatchObject({ where: [], or: [], sort: 'updatedAt:desc' });
    }
  });
  test('any filter may match, with and without a search', () => {
    const where: [string, 'gt' | 'null', ...string[]][] = [
      ['views', 'gt', '5'],
      ['summary', 'null'],
    ];
    expect(tableQuery({ where, any: true }, articles).or).toHaveLength(2);
    expect(tableQuery({ where, any: true, q: 'sea' }, articles).or.map((group) => group.map((c) => c.field))).toEqual([
      ['title', 'views'],
      ['title', 'summary'],
      ['summary', 'views'],
      ['summary', 'summary'],
    ]);
  });
  test('no condition is dropped, even if the API refuses that many', () => {
    const where = Array.from({ length: 30 }, (_, i): [string, 'gt', string] => ['views', 'gt', `${i}`]);
    expect(tableQuery({ where, any: true, q: 'sea' }, articles).or).toHaveLength(60);
  });
  test('the state "published" is a condition for the table and the default for readers', () => {
    expect(url({ state: 'published' })).toBe('where[publishedAt][not_null]=true&sort=updatedAt:desc&state=with_draft');
    expect(queryString(queryPairs(readerQuery({ state: 'published' }, articles)))).toBe('sort=updatedAt:desc');
  });
});

test('only the query of the table has an editor', () => {
  expect(url(parseEntriesSearch({ by: 7, sort: 'title:asc' }))).toBe('sort=title:asc&state=with_draft&editedBy=7');
  expect(parseEntriesSearch({ by: 'x' }).by).toBeUndefined();
});

test('only the query of the table has outdated translations', () => {
  expect(url(parseEntriesSearch({ outdated: 'de', sort: 'title:asc' }))).toBe('sort=title:asc&state=with_draft&outdated=de');
  expect(queryString(queryPairs(readerQuery({ outdated: 'de' }, articles)))).toBe('sort=updatedAt:desc&state=with_draft');
});

test('only the query of the table has a status', () => {
  const search = parseEntriesSearch({ status: 'in_review', sort: 'title:asc' });
  expect(url(search)).toBe('sort=title:asc&state=with_draft&status=in_review');
  expect(queryString(queryPairs(readerQuery(search, articles)))).toBe('sort=title:asc&state=with_draft');
  expect(parseEntriesSearch({ status: 'trashed' }).status).toBeUndefined();
});

test('clicks on a header sort ascending, descending, by default', () => {
  expect(nextSort(undefined, 'title', false)).toBe('title:asc');
  expect(nextSort('title:asc', 'title', false)).toBe('title:desc');
  expect(nextSort('title:desc', 'title', false)).toBeUndefined();
  expect(nextSort('title:asc', 'views', true)).toBe('title:asc,views:asc');
  expect(nextSort('title:asc,views:asc', 'title', true)).toBe('title:desc,views:asc');
  expect(nextSort('title:desc,views:asc', 'title', true)).toBe('views:asc');
});

test('invalid filters in a URL are ignored', () => {
  const { where } = parseEntriesSearch({ where: [['title', 'like', 'x'], ['title', 'like'], ['title', 'contains', 'x'], ['views', 'between', '1'], 'x', ['a', 'null']] });
  expect(where).toEqual([
    ['title', 'like', 'x'],
    ['a', 'null'],
  ]);
});

test('operatorsOf returns no operator that the API rejects', () => {
  expect(operatorsOf({ type: 'json' })).toEqual(['not_null', 'null']);
  expect(operatorsOf({ type: 'relation' })).not.toContain('lt');
  expect(operatorsOf({ type: 'boolean' })).not.toContain('like');
  expect(operatorsOf({ type: 'number' })).not.toContain('like');
  expect(operatorsOf({ type: 'longtext' })).toEqual(['like', 'not_null', 'null']);
  expect(operatorsOf({ type: 'richtext' })).toEqual(['like', 'not_null', 'null']);
  expect(operatorsOf({ type: 'url' })).not.toContain('gt');
  expect(operatorsOf({ type: 'text' })).toContain('gt');
});
