import { readFileSync } from 'node:fs';
import { describe, expect, test } from 'vitest';
import { contains, find, fold } from './fold';

describe('texts are compared as the server compares them', () => {
  test.each([
    ['Łódź ŁÓDŹ', 'lodz lodz'],
    ['Bodø Đà Nẵng', 'bodo da nang'],
    ['Æbler œuvre Þing', 'aebler oeuvre thing'],
    ['Işık ISPARTA İzmir', 'isik isparta izmir'],
    ['Größe GROẞE', 'grosse grosse'],
    ['ΣΊΣΥΦΟΣ Σίσυφος', 'σισυφοσ σισυφοσ'],
    ['Ёжик', 'ежик'],
    ['מֶלֶך', 'מלך'],
    ['ดี ดู', 'ดี ดู'],
    ['मेल', 'मेल'],
    ['パン', 'パン'.normalize('NFD')],
    ['gəncə', 'gəncə'],
    ['ﬁn\u0000ance', 'finance'],
  ])('%s', (text, form) => expect(fold(text)).toBe(form));

  test('the Latin letters are those of the server', () => {
    const table = (path: string) => /latin = `([^`]*)`/.exec(readFileSync(new URL(path, import.meta.url), 'utf8'))![1];
    expect(table('./fold.ts')).toBe(table('../../../../../core/words/latin.go'));
  });
});

test('a part is found and marked, accents and case aside', () => {
  expect(contains('Urząd w Łodzi', 'LODZI')).toBe(true);
  expect(contains('パン', 'ハン')).toBe(false);
  for (const [text, part, marked] of [['Die Größe zählt', 'GROSSE', 'Größe'], ['In Łódź', 'lodz', 'Łódź'], ['Ægir', 'a', 'Æ'], ['e\u0301te\u0301 2', 'ete', 'e\u0301te\u0301'], ['abc', 'c', 'c']] as const) {
    const found = find(text, part)!;
    expect(text.slice(found.from, found.to)).toBe(marked);
  }
  expect(find('abc', 'x')).toBeUndefined();
  expect(find('abc', '')).toBeUndefined();
});
