import { expect, test } from 'vitest';
import { schema } from './schema';

test('pictures of the library keep their id, also when they were deleted', () => {
  const image = schema.nodes.image!;
  expect(image.spec.toDOM!(image.create({ src: '/a.webp', alt: 'x', keep: { 'data-media': '12' } }))).toEqual(['img', { src: '/a.webp', alt: 'x', 'data-media': '12' }]);
  expect(image.spec.toDOM!(image.create({ keep: { 'data-media': '12' } }))).toEqual(['img', { 'data-media': '12' }]);
});
