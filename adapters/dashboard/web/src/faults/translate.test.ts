import { expect, test } from 'vitest';
import { faults as german } from '../texts/de';
import { faults as english } from '../texts/en';
import { translate } from './translate';

test.each([
  ['must be at most 5', 'darf höchstens 5 sein'],
  ['2: must have at most 200 characters; is required', '2: darf höchstens 200 Zeichen haben; fehlt noch'],
  ['must be from 0 to 1000; 0 keeps all', 'muss zwischen 0 und 1000 liegen; 0 behält alle'],
  ['must be 12 characters shorter to have at most 1000 bytes: use a field of type longtext for more', 'muss 12 Zeichen kürzer sein, um höchstens 1000 Byte zu haben: für mehr gibt es den Feldtyp „Langer Text“'],
  ['must be a date: 2006-01-02', 'muss ein Datum sein'],
  ['2.stepLabel: must have at most 100 characters', '2.stepLabel: darf höchstens 100 Zeichen haben'],
  ['must be from 0 to 86400 seconds', 'muss zwischen 0 und 86400 Sekunden liegen'],
  ['search: must have at most 20 words', 'search: darf höchstens 20 Wörter haben'],
  ['something else', 'something else'],
  ['is required in the published version', 'fehlt noch (in der veröffentlichten Fassung)'],
])('%s', (text, translation) => {
  expect(translate(text, german)).toBe(translation);
  expect(translate(text, english)).toBe(text);
});

test.each([
  ['is required', 'Required', 'Pflichtangabe'],
  ['are required', 'Required', 'Pflichtangabe'],
  ['must be at most 5', 'Must be at most 5', 'Darf höchstens 5 sein'],
])('alone: %s', (text, inEnglish, inGerman) => {
  expect(translate(text, english, true)).toBe(inEnglish);
  expect(translate(text, german, true)).toBe(inGerman);
});
