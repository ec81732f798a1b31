import { expect, test } from 'vitest';
import { fieldNameOf, slugOf } from './names';

test.each([
  ['Press releases', 'press-releases'],
  ['  Größe & Farbe! ', 'groesse-farbe'],
  ['Élections 2026', 'elections-2026'],
  ['日本', ''],
])('slugOf(%j)', (name, want) => expect(slugOf(name)).toBe(want));

test.each([
  ['Published on', 'publishedOn'],
  ['Überschrift', 'ueberschrift'],
  ['2nd title', 'ndTitle'],
  ['2 Title', 'title'],
  ['…', ''],
])('fieldNameOf(%j)', (label, want) => expect(fieldNameOf(label)).toBe(want));
