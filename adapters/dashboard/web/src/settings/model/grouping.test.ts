import { expect, test } from 'vitest';
import type { Schemas } from '../../api/client';
import { componentFields, groupable, missing } from './grouping';

const field = (name: string, type: Schemas['Field']['type'], more: Partial<Schemas['Field']> = {}): Schemas['Field'] => ({ name, type, label: name, required: false, unique: false, multiple: false, hidden: false, indexed: true, searchable: false, ...more });
const fields = [field('title', 'text', { required: true, max: 60 }), field('slug', 'slug', { source: 'title' }), field('code', 'text', { unique: true }), field('secret', 'password'), field('note', 'text', { hidden: true }), field('parts', 'blocks', { components: ['part'] })];

test('fields that a component cannot have are left out', () => {
  expect(fields.filter(groupable).map(({ name }) => name)).toEqual(['title', 'slug']);
});

test('a slug goes with the field that it is made from, which can stay', () => {
  expect(missing(fields, ['title'])).toMatchObject({ slug: { name: 'slug' }, source: { name: 'title' } });
  expect(missing(fields, ['title', 'slug'])).toBeUndefined();
  expect(missing(fields, ['slug'])).toBeUndefined();
});

test('the fields of the component have the options of those of the collection', () => {
  expect(componentFields(fields, ['slug', 'title'])).toMatchObject([{ name: 'title', type: 'text', required: true, max: 60, indexed: null }, { name: 'slug', type: 'slug', source: 'title' }]);
  expect(componentFields(fields, ['slug'])[0]).not.toHaveProperty('source');
});
