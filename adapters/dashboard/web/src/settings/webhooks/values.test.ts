import { expect, test } from 'vitest';
import { bodyOf, newWebhook } from './values';

test('a body has the given members', () => {
  expect(bodyOf({ name: 'Website' })).toEqual({ name: 'Website' });
  expect(bodyOf({ headers: [{ name: 'Authorization ', value: ' Bearer abc' }, { name: '', value: '' }] })).toEqual({ headers: { Authorization: 'Bearer abc' } });
  expect(bodyOf({ headers: null })).toEqual({});
  expect(bodyOf({ coalesce: newWebhook.coalesce })).toEqual({ coalesce: null });
  expect(bodyOf({ coalesce: { on: true, quiet: 5, most: null } })).toEqual({ coalesce: { quiet: 5, most: 0 } });
});

test('a header that is there twice is a fault of its own', () => {
  const twice = [{ name: 'X-Key', value: '1' }, { name: 'X-Key', value: '2' }];
  expect(() => bodyOf({ headers: twice })).toThrow(expect.objectContaining({ faults: [{ location: 'headers.X-Key', message: 'is there twice' }] }));
});
