import { describe, expect, test } from 'vitest';
import { graphqlRequest, restRequest, type Target } from './apirequest';
import type { Collection, Field } from './fields';
import { readerQuery } from './query';

const field = (name: string, type: Field['type'], more: Partial<Field> = {}): Field => ({ name, label: name, type, multiple: false, hidden: false, ...more });
const countries: Collection = { id: 1, slug: 'countries', name: 'Countries', fields: [field('name', 'text'), field('area', 'number')] };
const articles: Collection = {
  id: 2,
  slug: 'articles',
  name: 'Articles',
  fields: [field('title', 'text'), field('body', 'richtext'), field('views', 'number'), field('featured', 'boolean'), field('country', 'relation', { collection: 'countries' })],
};
const target: Target = { origin: 'https://content.example', projectUuid: '7d0f', collection: articles, collections: [articles, countries] };
const list = (search: Parameters<typeof readerQuery>[0]) => ({ list: readerQuery(search, articles) });

describe('REST', () => {
  test('published entries, in the order of the table', () => {
    expect(restRequest(target, list({ state: 'published', sort: 'views:desc', locale: 'fr' }), 'url')).toBe(
      'https://content.example/public/v2/projects/7d0f/collections/articles/entries?sort=views:desc&locale=fr',
    );
  });
  test('one entry', () => {
    expect(restRequest(target, { entry: 42 }, 'url')).toBe('https://content.example/public/v2/projects/7d0f/collections/articles/entries/42');
  });
  test('a quote in a value does not end the curl argument', () => {
    const curl = restRequest(target, list({ where: [['title', 'like', "it's"]] }), 'curl');
    expect(curl).toContain('where[title][like]=it%27s');
    expect(curl.match(/'/g)).toHaveLength(2);
  });
  test('fetch', () => {
    expect(restRequest(target, { entry: 42 }, 'fetch')).toContain('fetch("https://content.example/public/v2/projects/7d0f/collections/articles/entries/42"');
  });
});

describe('GraphQL', () => {
  test('values have the type of their field', () => {
    const query = graphqlRequest(
      target,
      list({
        state: 'published',
        where: [
          ['views', 'between', '1', '20'],
          ['featured', 'eq', 'true'],
          ['country.area', 'gt', '1e5'],
          ['country.area', 'lt', '500000.5'],
          ['title', 'in', '1', 'a "b"'],
          ['body', 'null'],
        ],
      }),
      'url',
    );
    expect(query).toContain(
      'where: [{ field: "views", op: "between", value: [1, 20] }, { field: "featured", value: true }, { field: "country.area", op: "gt", value: "1e5" }, { field: "country.area", op: "lt", value: 500000.5 }, { field: "title", op: "in", value: ["1", "a \\"b\\""] }, { field: "body", op: "null" }]',
    );
    expect(query).not.toContain('state');
  });
  test('has no "or"', () => {
    expect(graphqlRequest(target, list({ q: 'sea' }), 'url')).toBeUndefined();
    // A search in one field is one condition.
    const one: Target = { ...target, collection: countries };
    expect(graphqlRequest(one, { list: readerQuery({ q: 'sea' }, countries) }, 'url')).toContain('{ field: "name", op: "like", value: "sea" }');
  });
  test('has no search by words: the query would return every entry', () => {
    const found: Target = { ...target, collection: { ...articles, searches: true } };
    const question = { list: readerQuery({ q: 'old harbour', state: 'published' }, found.collection) };
    expect(restRequest(found, question, 'url')).toMatch(/entries\?search=old\+harbour$/);
    expect(graphqlRequest(found, question, 'url')).toBeUndefined();
  });
  test('the curl body is valid JSON in one quoted argument', () => {
    const curl = graphqlRequest(target, list({ where: [['title', 'like', "it's"]] }), 'curl')!;
    const body = curl.slice(curl.indexOf("-d '") + 4, -1).replaceAll("'\\''", "'");
    expect((JSON.parse(body) as { query: string }).query).toContain('value: "it\'s"');
  });
});
