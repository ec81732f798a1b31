import { expect, test } from 'vitest';
import { columnNames, columnsOf } from './columns';
import type { Collection, Field } from './fields';

const field = (name: string, type: Field['type']): Field => ({ name, label: name, type, multiple: false, hidden: false });
const articles: Collection = { id: 2, slug: 'articles', name: 'Articles', fields: [field('title', 'text'), field('views', 'number'), field('day', 'date')] };
const names = (columns: string | undefined) => columnsOf(articles, columns).map((c) => c.name);

test('the default columns', () => {
  expect(names(undefined)).toEqual(['title', '_status', 'views', 'day', 'updatedAt']);
  expect(columnNames(articles)[0]).toBe('title');
});
test('columns have the order of the URL, after the title column', () => {
  expect(names('updatedAt,title,views,_status')).toEqual(['title', 'updatedAt', 'views', '_status']);
  expect(names('title')).toEqual(['title']);
});
test('unknown and repeated names are left out', () => {
  expect(names('views,gone,views,_status')).toEqual(['title', 'views', '_status']);
});
