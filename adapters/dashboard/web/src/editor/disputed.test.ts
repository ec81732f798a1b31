import { expect, test } from 'vitest';
import { disputedOf, type Choices } from './disputed';
import { body, components, hero, prose, quote } from './items/fixture';

const base = [hero('a', 'One'), quote('b', 'Two'), prose('c', '<p>Start.</p><p>End.</p>')];
const disputed = (mine: unknown, theirs: unknown) => disputedOf({ name: 'body', base, mine, theirs }, body, components, 'en');
/** The value if one side is chosen everywhere. */
const chosen = (side: 'mine' | 'theirs', { parts, value }: ReturnType<typeof disputed>) => value(Object.fromEntries(parts.map(({ key }) => [key, { side }])));

test('only the field of an item that both sides changed is a question, and both sides keep their other items', () => {
  const found = disputed([hero('a', 'Mine'), quote('b', 'Of mine'), base[2]], [hero('a', 'Theirs'), base[1], base[2], quote('d', 'Of theirs')]);
  expect(found.parts).toMatchObject([{ key: 'body[a].title', shape: 'text', labels: [{ name: 'Body' }, { name: 'Hero', summary: 'Mine' }, { name: 'Title' }], base: 'One', mine: 'Mine', theirs: 'Theirs' }]);
  expect(chosen('mine', found)).toEqual([hero('a', 'Mine'), quote('b', 'Of mine'), base[2], quote('d', 'Of theirs')]);
  expect(chosen('theirs', found)).toEqual([hero('a', 'Theirs'), quote('b', 'Of mine'), base[2], quote('d', 'Of theirs')]);
});

test('rich text inside of an item is a question by its blocks', () => {
  const found = disputed([base[0], base[1], prose('c', '<p>Mine.</p><p>End.</p><p>More of mine.</p>')], [hero('a', 'Theirs'), base[1], prose('c', '<p>Theirs.</p><p>End.</p>')]);
  expect(found.parts).toMatchObject([{ key: 'body[c].text 0', shape: 'rich', mine: '<p>Mine.</p>', theirs: '<p>Theirs.</p>' }]);
  expect(chosen('theirs', found)).toEqual([hero('a', 'Theirs'), base[1], prose('c', '<p>Theirs.</p><p>End.</p><p>More of mine.</p>')]);
  const both: Choices = { 'body[c].text 0': { side: 'both' } };
  expect(found.value(both)).toEqual([hero('a', 'Theirs'), base[1], prose('c', '<p>Mine.</p><p>Theirs.</p><p>End.</p><p>More of mine.</p>')]);
});

test('an item that one side removed and the other one changed is a question', () => {
  const found = disputed([base[0], base[2]], [hero('a', 'Theirs'), quote('b', 'Changed'), base[2]]);
  expect(found.parts).toMatchObject([{ key: 'body[b]', shape: 'item', mine: undefined, theirs: quote('b', 'Changed') }]);
  expect(chosen('mine', found)).toEqual([hero('a', 'Theirs'), base[2]]);
  expect(chosen('theirs', found)).toEqual([hero('a', 'Theirs'), quote('b', 'Changed'), base[2]]);
});

test('texts can be written together, and each question has its own choice', () => {
  const found = disputed([hero('a', 'Mine'), quote('b', 'Mine'), base[2]], [hero('a', 'Theirs'), quote('b', 'Theirs'), base[2]]);
  expect(found.parts.map(({ key }) => key)).toEqual(['body[a].title', 'body[b].words']);
  expect(found.value({ 'body[a].title': { side: 'both', text: 'Ours' }, 'body[b].words': { side: 'theirs' } })).toEqual([hero('a', 'Ours'), quote('b', 'Theirs'), base[2]]);
});

test('a field without items is one question', () => {
  const title = components.get('hero')!.fields[0]!;
  const found = disputedOf({ name: 'title', base: 'A', mine: 'B', theirs: 'C' }, title, components, 'en');
  expect(found.parts).toMatchObject([{ key: 'title', labels: [{ name: 'Title' }], shape: 'text' }]);
  expect(chosen('theirs', found)).toBe('C');
});
