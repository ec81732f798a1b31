import { describe, expect, test } from 'vitest';
import { canonicalTag, fallbackChain, knownTags, languageMatches, ownName } from './locales';

describe('fallbackChain', () => {
  const project = { locales: ['en', 'de', 'de-AT', 'fr', 'fr-CA'], defaultLocale: 'en', fallbacks: { fr: ['de'], 'fr-CA': [] } };
  test.each([
    ['de-AT', ['de-AT', 'de', 'en']], // no fallbacks configured: drop subtags
    ['fr', ['fr', 'de', 'en']],
    ['fr-CA', ['fr-CA', 'en']], // configured but empty: only the default
    ['en', ['en']],
    ['de-AT-1996', ['de-AT-1996', 'de-AT', 'de', 'en']],
    ['pt-BR', ['pt-BR', 'en']], // pt is not a locale of the project
  ])('%s', (locale, want) => expect(fallbackChain(project, locale)).toEqual(want));
});

test.each([
  ['pt-br', 'pt-BR'],
  [' de ', 'de'],
  ['zh-hant-tw', 'zh-Hant-TW'],
  ['deutsch?', undefined],
  ['', undefined],
])('canonicalTag of %j', (tag, want) => expect(canonicalTag(tag)).toBe(want));

test('known tags are canonical, once each, and have names', () => {
  expect(knownTags.map(canonicalTag)).toEqual(knownTags);
  expect(new Set(knownTags).size).toBe(knownTags.length);
});

const german = { id: 'de-AT', label: 'Austrian German', detail: ownName('de-AT') };

test.each([
  ['german', true],
  ['GERMAN austrian', true],
  ['Österreich', true],
  ['osterreich', true],
  ['de-at', true],
  ['french', false],
])('a language matches %j: %s', (text, want) => expect(languageMatches(german, text)).toBe(want));

test('a tag of no list matches its text', () => expect(languageMatches({ id: 'gsw-CH', label: 'x' }, 'GSW-ch')).toBe(true));
