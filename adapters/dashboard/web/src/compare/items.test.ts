import { readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import type { Schemas } from '../api/client';
import { compareFields, type Change, type Compared, type Component, type Version } from './fields';

const field = (name: string, type: Schemas['Field']['type'], more: Partial<Schemas['Field']> = {}) =>
  ({ name, label: name, type, required: false, unique: false, multiple: false, hidden: false, indexed: false, searchable: false, ...more }) satisfies Schemas['Field'];
const component = (slug: string, ...fields: Schemas['Field'][]): Component => ({ id: 1, projectId: 1, slug, name: slug, description: '', fields, version: 1, createdAt: '', updatedAt: '' });
const components = new Map(
  [
    component('link', field('label', 'text')),
    component('hero', field('title', 'text'), field('image', 'media'), field('links', 'group', { component: 'link', multiple: true })),
    component('text', field('body', 'richtext')),
  ].map((c) => [c.slug, c]),
);
const definition = [field('body', 'blocks', { components: ['hero', 'text'], multiple: true }), field('seo', 'group', { component: 'link' })];
const version = (body: unknown, caption = 'a', seo: unknown = null): Version => ({ fields: { body, seo }, media: { 3: { hash: 'h', fileName: 'f', caption, tags: [] } } });
const compare = (before: Version | null, after: Version, changes?: Change[]) => compareFields(definition, before, after, components, changes);
const lines = ({ items = [] }: Compared): string[] =>
  items.filter((i) => i.change !== 'same').flatMap((i) => [[i.key, i.change, `${i.from ?? '-'}>${i.to ?? '-'}`].join(' '), ...i.fields.flatMap(lines).map((line) => `  ${line}`)]);

/** The changes of the API of a case, as its text names them. */
function changesOf(want: string): Change[] {
  const index = (at: string) => (at === '-' ? undefined : Number(at));
  return want.split(', ').filter(Boolean).map((line) => {
    const [key, change, places] = line.split(' ') as [string, Change['change'], string];
    const [from, to] = places.split('>').map(index);
    return { path: 'body', key, change, from, to, fields: [] };
  });
}

// The cases of a file of the server, so that both say the same.
test('items move as the API says', () => {
  const cases = JSON.parse(readFileSync(`${import.meta.dirname}/../../../../../core/testdata/orders.json`, 'utf8')) as { from: string; to: string; want: string }[];
  const list = (keys: string) => [...keys].map((key) => ({ _key: key.toLowerCase(), _type: key === key.toLowerCase() ? 'text' : 'hero' }));
  expect(cases.length).toBeGreaterThan(20);
  for (const { from, to, want } of cases) {
    const [before, after] = [version(list(from)), version(list(to))];
    expect(lines(compare(before, after, changesOf(want))[0]!).join(', '), `${from} to ${to}`).toBe(want);
  }
});

const change = (path: string, more: Partial<Change> = {}): Change => ({ path, change: 'changed', fields: [], ...more });
const value = (path: string) => change('', { fields: [{ path, before: null, after: null }] });

test('items change with their values and with the items inside of them', () => {
  const hero = (more: object) => version([{ _type: 'hero', _key: 'h', title: 'A', links: [{ _key: 'l', label: '1' }], ...more }]);
  expect(lines(compare(hero({}), hero({ title: null, image: null }), [value('body[h].title')])[0]!)).toEqual(['h changed 0>0']);
  const inner = [change('body[h].links', { key: 'm', change: 'added', to: 0 }), change('body[h].links', { key: 'l', from: 0, to: 1, fields: value('body[h].links[l].label').fields })];
  expect(lines(compare(hero({}), hero({ links: [{ _key: 'm' }, { _key: 'l', label: '2' }] }), inner)[0]!)).toEqual(['h changed 0>0', '  m added ->0', '  l changed 0>1']);
  expect(lines(compare(hero({ image: null }), hero({}))[0]!)).toEqual([]);
});

test('new words of a picture inside of an item are a change', () => {
  const body = [{ _type: 'hero', _key: 'h', image: 3 }];
  expect(lines(compare(version(body), version(body, 'b'), [change('@media', { key: '3' })])[0]!)).toEqual(['h changed 0>0']);
  expect(compare(version(body), version(body))[0]!.changed).toBe(false);
});

test('the API says which values changed', () => {
  const [before, after] = [version([{ _type: 'hero', _key: 'h', title: 'A', image: 3 }], 'a', { label: 'x' }), version([{ _type: 'hero', _key: 'h', title: 'B', image: 3 }], 'a', { label: 'y' })];
  const changed = (...changes: Partial<Change>[]) => compareFields(definition, before, after, components, changes.map((c) => ({ path: '', change: 'changed', fields: [], ...c }))).flatMap((c) => (c.changed ? c.items!.flatMap((i) => i.fields.filter((f) => f.changed).map((f) => `${c.field.name}.${f.field.name}`)) : []));
  expect(changed()).toEqual([]);
  expect(changed({ path: 'body', key: 'h', type: 'hero', from: 0, to: 0, fields: [{ path: 'body[h].title', before: 'A', after: 'B' }] })).toEqual(['body.title']);
  expect(changed({ path: '@media', key: '3', fields: [{ path: '@media[3].caption', before: 'a', after: 'b' }] })).toEqual(['body.image']);
  expect(changed({ path: 'seo', fields: [{ path: 'seo.label', before: 'x', after: 'y' }] })).toEqual(['seo.label']);
});

test('a single group has the changes of its fields, and one that comes is new', () => {
  const change = (before: unknown, after: unknown, changes?: Change[]) => compare(version([], 'a', before), version([], 'a', after), changes)[1]!.items!.map((i) => [i.change, i.key, i.from, i.to]);
  expect(change({ label: 'x' }, { label: 'y' }, [value('seo.label')])).toEqual([['changed', undefined, undefined, undefined]]);
  expect(change(null, { label: 'y' })).toEqual([['added', undefined, undefined, undefined]]);
  expect(change({ label: 'x' }, null)).toEqual([['removed', undefined, undefined, undefined]]);
  expect(change({ label: 'x' }, { label: 'x' })[0]![0]).toBe('same');
});

test('items whose component is gone, or that the field does not admit, are left out', () => {
  expect(compare(version([{ _type: 'link', _key: 'a', label: 'x' }, { _type: 'old', _key: 'b' }]), version([]))[0]!).toMatchObject({ items: [], changed: false });
});
