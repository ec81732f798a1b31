import { expect, test } from 'vitest';
import { labelsOf } from './faultpath';
import { bySlug } from './structured';
import type { Component, Field } from './values';

const text = (name: string, label: string) => ({ name, label, type: 'text', multiple: false });
const link = { slug: 'link', name: 'Link', fields: [text('label', 'Label')] };
const hero = { slug: 'hero', name: 'Hero', fields: [text('title', 'Headline'), text('intro', 'Intro'), { name: 'links', label: 'Links', type: 'group', component: 'link', multiple: true }] };
const components = bySlug([link, hero] as unknown as Component[]);
const body = { name: 'body', label: 'Body', type: 'blocks', multiple: false, components: ['hero'] } as unknown as Field;
const about = { name: 'about', label: 'About', type: 'group', component: 'link', multiple: false } as unknown as Field;
const value = [
  { _type: 'hero', _key: 'a', title: 'Spring', links: [{ _key: 'l', label: '' }] },
  { _type: 'hero', _key: 'b' },
];
const named = (component: string, summary: string) => `${component} “${summary}”`;

test.each([
  ['fields.body', body, value, 'Body'],
  ['fields.body[0].intro', body, value, 'Body › Hero “Spring” › Intro'],
  ['fields.body[0].links[0].label', body, value, 'Body › Hero “Spring” › Links › Link 1 › Label'],
  ['fields.body[1]', body, value, 'Body › Hero 2'],
  ['fields.body[1].title', body, value, 'Body › Hero 2 › Headline'],
  ['fields.body[7].title', body, value, 'Body'],
  ['fields.about.label', about, { label: '' }, 'About › Label'],
])('%s', (location, field, items, path) => {
  expect(labelsOf(location, field, items, components, named).join(' › ')).toBe(path);
});
