import { expect, test } from 'vitest';
import { findQuote, occurrenceAt } from './anchor';
import { changeAt, replaceInHtml, replaceInText } from './apply';
import { mustOf } from './must';
import { withIds, withNames, writtenName } from './names';

test('passages are counted as the API counts them', () => {
  expect(findQuote('ain in rain', { text: 'ain', occurrence: 2 })).toBe(8);
  expect(findQuote('aaaa', { text: 'aa', occurrence: 2 })).toBe(2); // they do not overlap
  expect(findQuote('aaaa', { text: 'aa', occurrence: 3 })).toBe(-1);
  expect(findQuote('any', { text: '', occurrence: 1 })).toBe(-1);
  expect(occurrenceAt('rain in rain', 'rain', 8)).toBe(2);
  expect(occurrenceAt('rain in rain', 'rain', 0)).toBe(1);
});

test('a suggestion replaces its passage', () => {
  expect(replaceInText('Rain in May, rain in May', { text: 'May', occurrence: 2 }, 'June')).toBe('Rain in May, rain in June');
  expect(replaceInText('Rain', { text: 'May', occurrence: 1 }, 'June')).toBeUndefined();
  const html = '<p>A <b>wet</b> May &amp; a wet June.</p>';
  expect(replaceInHtml(html, { text: 'wet', occurrence: 2 }, '<i>dry</i>')).toBe('<p>A <b>wet</b> May &amp; a &lt;i&gt;dry&lt;/i&gt; June.</p>');
  expect(replaceInHtml(html, { text: 'May & a', occurrence: 1 }, 'May, a')).toBe('<p>A <b>wet</b> May, a wet June.</p>');
  expect(replaceInHtml(html, { text: 'A wet', occurrence: 1 }, 'x')).toBeUndefined(); // over markup
  expect(replaceInHtml(html, { text: 'snow', occurrence: 1 }, 'x')).toBeUndefined();
});

test('a suggestion finds its value inside of items', () => {
  const upper = (text: string) => text.toUpperCase();
  const value = [{ _key: 'k1', title: 'one' }, { _key: 'k2', cta: { label: 'two' } }];
  expect(changeAt('plain', '', upper)).toBe('PLAIN');
  expect(changeAt(value, '[k2].cta.label', upper)).toEqual([value[0], { _key: 'k2', cta: { label: 'TWO' } }]);
  expect(changeAt({ title: 'seo' }, '.title', upper)).toEqual({ title: 'SEO' });
  for (const path of ['[k9].title', '[k1].none', '[k1]', '.title', '[k1].title.more']) expect(changeAt(value, path, upper), path).toBeUndefined();
  expect(value[1]!.cta!.label).toBe('two');
});

test('people are named by name, and stored by id', () => {
  const people = [{ id: 6, name: 'Emil Santos' }, { id: 7, name: 'Emil' }];
  expect(withIds('@Emil Santos and @Emil, @Nobody', people)).toBe('@[6] and @[7], @Nobody');
  expect(withNames('@[6] and @[8] @[x]', people)).toBe('@Emil Santos and @[8] @[x]');
  expect(writtenName('Ask @Em', 7)).toEqual({ from: 4, search: 'Em' });
  expect(writtenName('Ask @Emil Sa', 12)).toEqual({ from: 4, search: 'Emil Sa' });
  expect(writtenName('mail@site', 9)).toBeUndefined();
  expect(writtenName('Ask @Em', 3)).toBeUndefined();
});

test('an open comment keeps its step from being approved', () => {
  const comment = (state: string, must?: number) => ({ state, must });
  const of = (stepId: number | undefined, ...comments: unknown[]) => mustOf({ steps: [{}, {}] } as never, stepId)({ data: comments as never });
  expect(of(1, comment('open', 1), comment('open'), comment('resolved', 1), comment('open', 2))).toBe(1);
  expect(of(2, comment('open', 5))).toBe(1); // the steps are fewer than they were
  expect(of(undefined, comment('open', 1))).toBe(0);
});
