import { expect, test } from 'vitest';
import { addressOf, hasSizes, type Rendition } from './rendition';

const choice: Rendition = { width: 640, height: 0, fit: 'cover', format: 'auto', quality: 75 };
const picture = { fullUrl: '/a.jpg', focalPoint: { x: 0.333, y: 1 } };

test('the address has what differs from the defaults', () => {
  expect(addressOf(picture, choice)).toBe('/a.jpg?w=640&format=auto');
  expect(addressOf(picture, { ...choice, height: 480 })).toBe('/a.jpg?w=640&h=480&fit=cover&fp=0.3,1&format=auto');
  expect(addressOf(picture, { ...choice, height: 480, fit: 'contain', quality: 85 })).toBe('/a.jpg?w=640&h=480&fit=contain&format=auto&q=85');
  expect(addressOf(picture, { ...choice, height: 480, fit: 'inside', format: 'png', quality: 85 })).toBe('/a.jpg?w=640&h=480&format=png');
  expect(addressOf({ ...picture, focalPoint: { x: 0.52, y: 0.48 } }, { ...choice, height: 64 })).toBe('/a.jpg?w=640&h=64&fit=cover&format=auto');
  expect(addressOf({ ...picture, focalPoint: null }, { ...choice, height: 64 })).toBe('/a.jpg?w=640&h=64&fit=cover&format=auto');
});

test('other files have no sizes', () => {
  expect(['image/jpeg', 'image/svg+xml', 'video/mp4'].map(hasSizes)).toEqual([true, false, false]);
});
