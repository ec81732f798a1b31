import { expect, test } from 'vitest';
import { fieldAt } from './place';
import type { Definition } from './requests';

const definition = (id: number, slug: string, name: string) => ({ id, slug, fields: [{ name, label: name }] }) as Definition;
const definitions = { collections: [definition(1, 'pages', 'body')], components: [definition(2, 'pages', 'links')] };

test('a location names a field of a collection or of a component', () => {
  expect(fieldAt('collections.pages.fields.body', definitions)).toMatchObject({ kind: 'collections', definition: { id: 1 }, field: { name: 'body' } });
  expect(fieldAt('components.pages.fields.links', definitions)).toMatchObject({ kind: 'components', definition: { id: 2 }, field: { name: 'links' } });
});

test.each(['collections.pages.fields.links', 'collections.posts.fields.body', 'pages.body'])('%s names none', (location) => {
  expect(fieldAt(location, definitions)).toBeUndefined();
});
