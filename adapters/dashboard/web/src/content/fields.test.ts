import { expect, test } from 'vitest';
import { fieldNamed, sharedFields, type Collection, type Field } from './fields';

const field = (name: string, type: Field['type'], more: Partial<Field> = {}): Field => ({ name, label: name.toUpperCase(), type, multiple: false, hidden: false, ...more });
const people: Collection = { id: 1, slug: 'people', name: 'People', fields: [field('title', 'text'), field('area', 'number'), field('code', 'text', { hidden: true })] };
const places: Collection = { id: 2, slug: 'places', name: 'Places', fields: [field('area', 'text'), field('title', 'text', { multiple: true }), field('code', 'text')] };
const notes: Collection = {
  id: 3,
  slug: 'notes',
  name: 'Notes',
  fields: [field('about', 'relation', { collections: ['people', 'places'] }), field('by', 'relation', { collection: 'people' }), field('gone', 'relation', { collections: ['lost'] })],
};
const all = [people, places, notes];

test('a condition names a field of one collection, or one that all collections of a relation have', () => {
  expect(fieldNamed(notes, 'by.area', all)?.label).toBe('BY › AREA');
  expect(fieldNamed(notes, 'about.title', all)).toMatchObject({ type: 'text', label: 'ABOUT › TITLE' });
  expect(fieldNamed(notes, 'about.id', all)?.type).toBe('number');
  expect(fieldNamed(notes, 'about.area', all)).toBeUndefined();
  expect(fieldNamed(notes, 'about.code', all)).toBeUndefined();
  expect(fieldNamed(notes, 'gone.id', all)).toBeUndefined();
});

test('collections share the fields with equal names and types', () => {
  expect(sharedFields([people, places]).map((f) => f.name)).toEqual(['title']);
  expect(sharedFields([people]).map((f) => f.name)).toEqual(['title', 'area']);
  expect(sharedFields([])).toEqual([]);
});
