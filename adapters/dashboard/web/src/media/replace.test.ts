import { expect, test } from 'vitest';
import type { Schemas } from '../api/client';
import { replaced, split } from './replace';

const field = (name: string, type: Schemas['Field']['type']) => ({ name, type }) as Schemas['Field'];
const definition = [field('cover', 'media'), field('gallery', 'media'), field('views', 'number'), field('country', 'relation')];

test('an item is replaced in all media fields that contain it, and in no other field', () => {
  expect(replaced(definition, { cover: 7, gallery: [1, 7, 2], views: 7, country: 7 }, 7, 9)).toEqual({ cover: 9, gallery: [1, 9, 2] });
});

test('a list keeps its order and contains no item twice', () => {
  expect(replaced(definition, { gallery: [9, 7, 1] }, 7, 9)).toEqual({ gallery: [9, 1] });
});

test('an entry without the item is not changed', () => {
  expect(replaced(definition, { cover: 1, gallery: [2], views: 7 }, 7, 9)).toEqual({});
});

test('a field with unpublished changes is replaced only in the draft', () => {
  const draft = { cover: 7, gallery: [7, 3] };
  expect(split({ cover: 9, gallery: [9, 3] }, draft, { cover: 7, gallery: [7] })).toEqual({ both: { cover: 9 }, draftOnly: { gallery: [9, 3] } });
  expect(split({ cover: 9 }, draft, null)).toEqual({ both: {}, draftOnly: { cover: 9 } });
});
