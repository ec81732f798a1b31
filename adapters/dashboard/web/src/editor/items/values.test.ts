import { expect, test } from 'vitest';
import { Later } from '../store';
import { readItems, writeItems } from './clipboard';
import { body, components, hero, quote } from './fixture';
import { countInside, faultsByPlace, itemsAround, placeOf } from './places';
import { copyOf, Items, itemsOf, newItem, newKey, summaryOf } from './values';

test('edited items are read without empty rows, and with texts that were still in an editor', () => {
  let reads = 0;
  const text = new Later(() => (reads++, 'typed'));
  const link = { _key: 'x', label: '' };
  const items = new Items([{ ...hero('a', ''), text, links: [link] }, quote('b', 'Two')], body, components);
  expect(items.read()).toEqual([{ _type: 'hero', _key: 'a', title: null, text: 'typed', links: [{ _key: 'x', label: null }] }, quote('b', 'Two')]);
  items.read();
  expect(reads).toBe(1);
  expect((items.read() as unknown[])[1]).toBe(itemsOf(items)[1]);
});

test('keys have 12 characters', () => expect(newKey()).toMatch(/^[a-z0-9]{12}$/));

test('a copy has new keys inside, too', () => {
  const item = { ...hero('a', 'One'), links: [{ _key: 'x', label: 'X' }] };
  const copy = copyOf(body, components, item) as typeof item;
  expect(copy).toMatchObject({ _type: 'hero', title: 'One', links: [{ label: 'X' }] });
  expect([copy._key, copy.links[0]!._key]).not.toContain('a');
  expect(copy.links[0]!._key).not.toBe('x');
});

test('a new item of blocks names its component', () => expect(newItem(body, components.get('quote')!)).toMatchObject({ _type: 'quote' }));

test('the summary of an item is its title, else another text', () => {
  expect(summaryOf(body, components, hero('a', 'One'))).toBe('One');
  expect(summaryOf(body, components, { ...hero('a', ''), text: 'A\ntext' })).toBe('A text');
  expect(summaryOf(body, components, { _type: 'hero', _key: 'a', links: [{ _key: 'x', label: 'X' }] })).toBe('X');
  expect(summaryOf(body, components, quote('q', 'w'.repeat(300)))).toHaveLength(120);
});

const value = [hero('a', 'One'), { ...hero('k1', 'Two'), links: [{ _key: 'l1', label: '' }], tags: ['', 'x'] }];
const valueOf = () => value;

test.each([
  ['fields.body', 'body', undefined],
  ['fields.body[1].title', 'body[k1].title', undefined],
  ['fields.body[1].links[0].label', 'body[k1].links[l1].label', undefined],
  ['fields.body[1].tags[1]', 'body[k1].tags', 1],
  ['fields.body[1]._type', 'body[k1]', undefined],
  ['fields.body[9].title', 'body', 9],
])('the place of %s', (location, place, index) => expect(placeOf(location, valueOf)).toEqual({ place, ...(index !== undefined && { index }) }));

test('faults are counted in the items around them', () => {
  const faults = faultsByPlace([{ location: 'fields.body[1].links[0].label', message: 'is required' }, { location: 'fields.body[1].title', message: 'is required' }], valueOf);
  expect([countInside(faults, 'body[k1]'), countInside(faults, 'body[k1].links[l1]'), countInside(faults, 'body[k]')]).toEqual([2, 1, 0]);
});

test.each([
  ['body[k1].links[l1].label', ['body[k1]', 'body[k1].links[l1]']],
  ['body[k1]', ['body[k1]']],
  ['seo.title', ['seo']],
  ['body[k1].seo.links[x].label', ['body[k1]', 'body[k1].seo', 'body[k1].seo.links[x]']],
  ['body', []],
])('the items around %s', (place, around) => expect(itemsAround(place)).toEqual(around));

test('copied items can be pasted where the field admits them, and the others are named', () => {
  const text = writeItems(body, components, [hero('a', 'One'), quote('b', 'Two')]);
  const pasted = readItems(text, { ...body, components: ['quote'] }, components);
  expect(pasted).toMatchObject({ items: [{ _type: 'quote', words: 'Two' }], refused: ['Hero'] });
  expect(pasted!.items[0]!._key).not.toBe('b');
  expect(readItems('a text', body, components)).toBeUndefined();
  expect(readItems('{"imprimatur/items":1,"items":[{"_type":"hero","title":"One","gone":1}]}', body, components)!.items[0]).not.toHaveProperty('gone');
});
