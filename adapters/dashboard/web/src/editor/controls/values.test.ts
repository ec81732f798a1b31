import { expect, test } from 'vitest';
import { readJSON } from './json';
import { instantOf, localOf } from './datetime';
import { numberOf } from './simple';

test.each([
  ['', null],
  [' 4 ', 4],
  ['1.', 1],
  ['1,5', 1.5],
  ['-0.25', -0.25],
  ['1e3', 1000],
  ['1,000,5', '1,000,5'],
  ['7x', '7x'],
  ['1.000', '1.000'],
  ['1.250.000,5', '1.250.000,5'],
  ['1.25', 1.25],
  ['0.125', 0.125],
])('the number of %j with a decimal comma', (text, number) => expect(numberOf(text, true)).toBe(number));

test('without a decimal comma, a text with a comma is not a number', () => {
  expect(numberOf('1,000', false)).toBe('1,000');
  expect(numberOf('1,5', false)).toBe('1,5');
  expect(numberOf('1.5', false)).toBe(1.5);
});

test('a point in time is converted to and from the time zone of the user', () => {
  expect(localOf('2026-07-01T08:30:00.000Z', 'Europe/Oslo')).toBe('2026-07-01T10:30');
  expect(localOf('2026-07-01T08:30:05.000Z', 'Europe/Oslo')).toBe('2026-07-01T10:30:05');
  expect(localOf('not a time', 'Europe/Oslo')).toBe('');
  expect(instantOf('2026-07-01T10:30', 'Europe/Oslo')).toBe('2026-07-01T08:30:00.000Z');
  expect(instantOf('', 'Europe/Oslo')).toBe(null);
});

test('a local time in a repeated hour is the earlier instant', () => {
  expect(instantOf('2026-10-25T02:30', 'Europe/Oslo')).toBe('2026-10-25T00:30:00.000Z');
});

test('parses JSON and reports faults', () => {
  expect(readJSON(' ')).toEqual({ value: null });
  expect(readJSON('{"a":[1]}')).toEqual({ value: { a: [1] } });
  expect(readJSON('{"a":')).toHaveProperty('fault');
});
