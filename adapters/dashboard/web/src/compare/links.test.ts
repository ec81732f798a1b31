import { expect, test } from 'vitest';
import { compareFields } from './fields';
import { parseHtml } from './html';
import { linkedMedia, withUrls } from './links';

const stored = '<p><img data-media="12" alt="x"><a data-media="13" href="#page=3">y</a><a data-entry="5">z</a></p>';
const answered =
  '<p><img data-media="12" src="https://a/x.webp" width="640" height="480" alt="x"><a data-media="13" href="https://a/y.pdf#page=3">y</a><a data-entry="5" data-collection="pages" data-slug="z">z</a></p>';

test('finds the media that rich text names', () => {
  expect(linkedMedia(stored)).toEqual([12, 13]);
  expect(linkedMedia(['<p>x</p>', stored])).toEqual([12, 13]);
  expect(linkedMedia(undefined)).toEqual([]);
});

test('shows stored text and the text of a response alike', () => {
  const urlOf = (id: number) => (id === 12 ? '/f/12' : '/f/13');
  const shown = withUrls(parseHtml(stored), urlOf);
  expect(withUrls(parseHtml(answered), urlOf)).toEqual(shown);
  const [p] = shown as unknown as [{ children: { attrs: Record<string, string> }[] }];
  expect(p.children.map((e) => e.attrs.src ?? e.attrs.href)).toEqual(['/f/12', '/f/13#page=3', undefined]);
});

test('a text changes with the words of its media', () => {
  const field = { name: 'body', label: 'Body', type: 'richtext', multiple: false } as never;
  const version = { fields: { body: stored }, media: {} };
  const change = (key: string) => compareFields([field], version, version, new Map(), [{ path: '@media', key, change: 'changed', fields: [] }])[0]!.changed;
  expect(change('12')).toBe(true);
  expect(change('14')).toBe(false);
});
