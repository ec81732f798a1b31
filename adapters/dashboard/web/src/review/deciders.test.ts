import { expect, test } from 'vitest';
import { namesOf } from './deciders';

const admins = [
  { id: 4, name: 'Emil' },
  { id: 7, name: 'Paul' },
];

test('only those who can decide a request are named', () => {
  expect(namesOf(admins, [2, 7])).toEqual(['Paul']);
  expect(namesOf(admins, [2])).toEqual([]);
});

test('without a request all are named', () => {
  expect(namesOf(admins, undefined)).toEqual(['Emil', 'Paul']);
});
