import { expect, test } from 'vitest';
import { mergeItems, mergeOrder } from './merge';
import { hero, body, components, quote } from './fixture';

const merging = { components, mergeValue: () => undefined };
const merged = (base: unknown, mine: unknown, theirs: unknown) => mergeItems(body, base, mine, theirs, merging);

test('changes of different items are merged', () => {
  const base = [hero('a', 'One'), quote('b', 'Two')];
  expect(merged(base, [hero('a', 'Mine'), quote('b', 'Two')], [hero('a', 'One'), quote('b', 'Theirs')])).toEqual({ value: [hero('a', 'Mine'), quote('b', 'Theirs')], conflicts: [] });
});

test('an item that one side moved keeps what the other side wrote into it', () => {
  const base = [hero('a', 'One'), quote('b', 'Two'), quote('c', 'Three')];
  const { value, conflicts } = merged(base, [base[2], base[0], base[1]], [hero('a', 'Theirs'), base[1], base[2]]);
  expect(conflicts).toEqual([]);
  expect(value).toEqual([base[2], hero('a', 'Theirs'), base[1]]);
});

test('different fields of one item are merged, different values of one field are in conflict', () => {
  const base = [{ ...hero('a', 'One'), text: 'Text' }];
  expect(merged(base, [{ ...base[0], title: 'Mine' }], [{ ...base[0], text: 'Theirs' }])).toEqual({ value: [{ ...hero('a', 'Mine'), text: 'Theirs' }], conflicts: [] });
  const { conflicts } = merged(base, [{ ...base[0], title: 'Mine' }], [{ ...base[0], title: 'Theirs' }]);
  expect(conflicts).toMatchObject([{ place: 'body[a].title', labels: [{ name: 'Hero', summary: 'Mine' }, { name: 'Title' }], base: 'One', mine: 'Mine', theirs: 'Theirs' }]);
});

test('an item that one side removed and the other one changed is in conflict, an unchanged one is removed', () => {
  const base = [hero('a', 'One'), quote('b', 'Two')];
  expect(merged(base, [base[0]], base)).toEqual({ value: [base[0]], conflicts: [] });
  expect(merged(base, [base[0]], [base[0], quote('b', 'Theirs')]).conflicts).toMatchObject([{ place: 'body[b]', whole: true, mine: undefined }]);
});

test('items inside of items are merged by their keys', () => {
  const link = (key: string, label: string) => ({ _key: key, label });
  const base = [{ ...hero('a', 'One'), links: [link('x', 'X'), link('y', 'Y')] }];
  const { value, conflicts } = merged(base, [{ ...base[0], links: [link('y', 'Y'), link('x', 'X')] }], [{ ...base[0], links: [link('x', 'X'), link('y', 'Theirs')] }]);
  expect(conflicts).toEqual([]);
  expect(value).toEqual([{ ...base[0], links: [link('y', 'Theirs'), link('x', 'X')] }]);
});

test('a member without a value equals one that is absent', () => {
  const base = [hero('a', 'One')];
  expect(merged(base, [{ ...base[0], text: null, links: [] }], [hero('a', 'Theirs')])).toMatchObject({ value: [{ title: 'Theirs' }], conflicts: [] });
});

test('a choice resolves a conflict', () => {
  const base = [hero('a', 'One')];
  const choice = (place: string) => (place === 'body[a].title' ? { value: 'Chosen' } : undefined);
  expect(mergeItems(body, base, [hero('a', 'Mine')], [hero('a', 'Theirs')], { ...merging, choice })).toEqual({ value: [hero('a', 'Chosen')], conflicts: [] });
});

test.each([
  ['abc', 'abc', 'xabc', 'xabc'],
  ['abc', 'abmc', 'abtc', 'abtmc'],
  ['abc', 'cab', 'abct', 'ctab'],
  ['abc', 'abcm', 'bca', 'bcma'],
  ['', 'm', 't', 'tm'],
])('the order of %s, mine %s, theirs %s', (base, mine, theirs, want) => {
  expect(mergeOrder([...base], [...mine], [...theirs]).join('')).toBe(want);
});
