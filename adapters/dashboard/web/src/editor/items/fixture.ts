import type { Component, Components, Field, Item } from './values';

// The components of tests: a hero with links, and a quote.

const field = (name: string, type: Field['type'], more: Partial<Field> = {}): Field => ({
  name, type, label: name[0]!.toUpperCase() + name.slice(1), required: false, unique: false, multiple: false, hidden: false, indexed: null, searchable: false, ...more,
} as Field);

const component = (id: number, slug: string, name: string, fields: Field[]) => ({ id, slug, name, description: '', fields, projectId: 1, version: 1, createdAt: '', updatedAt: '' }) as Component;

export const components: Components = new Map(
  [
    component(1, 'hero', 'Hero', [field('title', 'text'), field('text', 'longtext'), field('links', 'group', { component: 'link', multiple: true })]),
    component(2, 'quote', 'Quote', [field('words', 'longtext', { required: true })]),
    component(4, 'prose', 'Prose', [field('text', 'richtext')]),
    component(3, 'link', 'Link', [field('label', 'text'), field('url', 'url')]),
  ].map((c) => [c.slug, c]),
);

export const body = field('body', 'blocks', { components: ['hero', 'quote', 'prose'] });
export const hero = (key: string, title: string): Item => ({ _type: 'hero', _key: key, title });
export const quote = (key: string, words: string): Item => ({ _type: 'quote', _key: key, words });
export const prose = (key: string, text: string): Item => ({ _type: 'prose', _key: key, text });
