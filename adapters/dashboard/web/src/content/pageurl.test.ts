import { expect, test } from 'vitest';
import { pageUrl, placeholders, type PageOf } from './pageurl';

const entry: PageOf = { id: 42, collection: 'news', locale: 'pt-BR', version: 'draft', fields: { title: 'Olá, é 100 % / ?x=1&y=2#z', slug: 'ola', empty: '', views: 3, tags: ['a'], none: null } };

test('placeholders are replaced by encoded values', () => {
  expect(pageUrl('https://www.example.com/{locale}/{collection}/{slug}?preview={id}&version={version}', entry)).toBe('https://www.example.com/pt-BR/news/ola?preview=42&version=draft');
  expect(pageUrl('https://www.example.com/{title}', entry)).toBe('https://www.example.com/Ol%C3%A1%2C%20%C3%A9%20100%20%25%20%2F%20%3Fx%3D1%26y%3D2%23z');
  expect(pageUrl('https://www.example.com/', entry)).toBe('https://www.example.com/');
});

test('no value changes the host, the path or the parameters', () => {
  for (const slug of ['//evil.example', '@evil.example', '\\evil.example', 'javascript:alert(1)', 'a/../../b', '{title}', '$&', 'a?b=c', 'a#b', 'a&b=c', 'a\r\nb']) {
    const url = new URL(pageUrl('https://www.example.com/news/{slug}/end?q={slug}', { ...entry, fields: { slug } })!);
    expect(url.origin).toBe('https://www.example.com');
    expect(url.pathname.split('/')).toEqual(['', 'news', encodeURIComponent(slug), 'end']);
    expect([...url.searchParams]).toEqual([['q', slug]]);
    expect(url.hash).toBe('');
  }
});

test('an entry without a value for a placeholder has no page', () => {
  for (const name of ['empty', 'views', 'tags', 'none', 'missing', 'constructor', '__proto__', 'fields', '']) expect(pageUrl(`https://www.example.com/{${name}}`, entry), name).toBeUndefined();
  for (const slug of ['.', '..']) expect(pageUrl('https://www.example.com/news/{slug}', { ...entry, fields: { slug } })).toBeUndefined();
  expect(pageUrl(null, entry)).toBeUndefined();
  expect(pageUrl('', entry)).toBeUndefined();
});

test('a field with the name of a system placeholder does not override it', () => {
  expect(pageUrl('https://www.example.com/{version}/{id}', { ...entry, fields: { version: 'x', id: 'y' } })).toBe('https://www.example.com/draft/42');
});

test('placeholders returns the names in a template', () => {
  expect(placeholders('https://www.example.com/{locale}/{slug}?{')).toEqual(['locale', 'slug']);
});
