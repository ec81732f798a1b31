import { expect, test } from 'vitest';
import { previewAddress } from './address';

const entry = { id: 12, group: 7, locale: 'de-AT', fields: { slug: 'ä/b?c#d', views: 3, group: 'x', empty: '', up: '..', list: ['a'], no: false } };

test.each([
  ['https://site.example/{locale}/{slug}?id={id}&of={group}#{views}', { url: 'https://site.example/de-AT/%C3%A4%2Fb%3Fc%23d?id=12&of=7#3' }],
  ['https://site.example/', { url: 'https://site.example/' }],
  ['https://site.example/{empty}/{up}/{list}/{no}/{empty}/{gone}/{toString}', { missing: ['empty', 'up', 'list', 'no', 'gone', 'toString'] }],
])('%s', (template, address) => expect(previewAddress(template, entry)).toEqual(address));

test('the group may not be known yet', () => expect(previewAddress('https://site.example/{group}', { ...entry, group: undefined })).toEqual({ missing: ['group'] }));
