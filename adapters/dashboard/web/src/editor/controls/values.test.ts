import { expect, test } from 'vitest';
import { readJSON } from './json';

test('parses JSON and reports faults', () => {
  expect(readJSON(' ')).toEqual({ value: null });
  expect(readJSON('{"a":[1]}')).toEqual({ value: { a: [1] } });
  expect(readJSON('{"a":')).toEqual({ fault: 'is not JSON: line 1, column 6' });
  expect(readJSON('{\n  "a": 1,\n}')).toEqual({ fault: 'is not JSON: line 3, column 1' });
  expect(readJSON('[1 2]')).toEqual({ fault: 'is not JSON: line 1, column 4' });
  expect(readJSON('tru')).toEqual({ fault: 'is not JSON: line 1, column 4' });
});
