import { expect, test } from 'vitest';
import { faultText } from './faults';

test.each([
  ['must be at most 5', 'darf höchstens 5 sein'],
  ['2: must have at most 200 characters; is required', '2: darf höchstens 200 Zeichen haben; fehlt noch'],
  ['something else', 'something else'],
])('%s', (message, german) => {
  expect(faultText(message, 'de')).toBe(german);
  expect(faultText(message, 'en')).toBe(message);
});
