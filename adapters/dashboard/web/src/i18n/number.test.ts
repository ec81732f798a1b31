import { expect, test } from 'vitest';
import { numberOf, numberText } from './number';

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

test('the text of a number is written as it is read', () => {
  for (const comma of [true, false]) for (const value of [1.4, -0.25, 0, 1000.5, 1e21, 1e-7, 123456.789]) expect(numberOf(numberText(value, comma), comma)).toBe(value);
  expect(numberText(1.4, true)).toBe('1,4');
  expect(numberText(1.4, false)).toBe('1.4');
  expect(numberText('7.x', true)).toBe('7.x');
  expect(numberText(null, true)).toBe('');
});
