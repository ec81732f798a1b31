import { describe, expect, test } from 'vitest';
import type { Schemas } from '../../api/client';
import { effectsOf, placesOf, removalOf } from './effects';

const field = (over: Partial<Schemas['Field']>): Schemas['Field'] => ({ name: 'f', label: 'F', type: 'text', required: false, unique: false, multiple: false, hidden: false, indexed: true, searchable: false, ...over });

describe('effectsOf', () => {
  test('a field that becomes required', () => expect(effectsOf(field({}), { required: true })).toEqual([{ kind: 'lack', where: [['f', 'null']] }]));
  test('a field that was required', () => expect(effectsOf(field({ required: true }), { required: true })).toEqual([]));
  test('closer bounds of a number', () =>
    expect(effectsOf(field({ type: 'number', min: 1, max: 9 }), { min: 2, max: 5 })).toEqual([{ kind: 'break', where: [['f', 'lt', '2'], ['f', 'gt', '5']] }]));
  test('wider bounds', () => expect(effectsOf(field({ type: 'number', min: 1, max: 9 }), { min: 0, max: null })).toEqual([]));
  test('bounds of a text', () => expect(effectsOf(field({}), { max: 5 })).toEqual([{ kind: 'check', where: [['f', 'not_null']] }]));
  test('choices that are removed', () =>
    expect(effectsOf(field({ type: 'enumeration', choices: ['a', 'b', 'c'] }), { choices: 'b\nd' })).toEqual([{ kind: 'break', where: [['f', 'in', 'a', 'c']] }]));
  test('components that are left out', () => expect(effectsOf(field({ type: 'blocks', components: ['a', 'b'] }), { components: ['a'] })).toEqual([{ kind: 'check', where: [['f', 'not_null']] }]));
  test('components that are added', () => expect(effectsOf(field({ type: 'blocks', components: ['a'] }), { components: ['a', 'b'] })).toEqual([]));
  test('another label', () => expect(effectsOf(field({}), { label: 'G' })).toEqual([]));
  test('removal', () => expect(removalOf(field({}))).toEqual([{ kind: 'lose', where: [['f', 'not_null']] }]));
});

test('placesOf finds the collections that hold a component, also inside of others', () => {
  const hero = field({ name: 'title', filterable: true });
  const pages = { slug: 'pages', fields: [field({ name: 'body', type: 'blocks', components: ['hero', 'quote'] })] };
  const shops = { slug: 'shops', fields: [field({ name: 'rows', type: 'group', component: 'row' })] };
  const people = { slug: 'people', fields: [field({ name: 'name' })] };
  const row = { slug: 'row', fields: [field({ name: 'top', type: 'group', component: 'hero' })] };
  expect(placesOf('hero', hero, true, [pages, shops, people], [row])).toEqual([
    { collection: pages, effects: [{ kind: 'lose', where: [['body.hero.title', 'not_null']] }] },
    { collection: shops, effects: [{ kind: 'check', where: [['rows', 'not_null']] }] },
  ]);
});
