import { describe, expect, test } from 'vitest';
import { ApiError } from '../api/error';
import { changesOf, faultAt, same, unplaced, withoutFaultsAt } from './formvalues';

const faults = [
  { location: 'name', message: 'must not be empty' },
  { location: 'choices[1]', message: 'is named twice' },
  { location: 'steps[0].stepLabel', message: 'is too long' },
];
const invalid = new ApiError(422, { code: 'invalid', errors: faults });

describe('same', () => {
  test.each([
    [{ a: [1, { b: null }] }, { a: [1, { b: null }] }, true],
    [{ a: undefined }, {}, true],
    [{ a: null }, {}, false],
    [[1, 2], [2, 1], false],
    [[], {}, false],
    [[1], [1, undefined], false],
    ['1', 1, false],
  ])('%j and %j', (a, b, want) => expect(same(a, b)).toBe(want));
});

test('changesOf keeps only changed members, with null for cleared ones', () => {
  expect(changesOf({ a: 1, b: [1], c: 'x' } as object, { a: 1, b: [1, 2], c: null })).toEqual({ b: [1, 2], c: null });
});

describe('faultAt', () => {
  test('the member itself', () => expect(faultAt(faults, 'name')).toBe('must not be empty'));
  test('an item of a list, counted from 1', () => expect(faultAt(faults, 'choices')).toBe('2: is named twice'));
  test('a member of an item', () => expect(faultAt(faults, 'steps[0].stepLabel')).toBe('is too long'));
  test('a longer name with the same beginning does not count', () => expect(faultAt([{ location: 'names', message: 'x' }], 'name')).toBeUndefined());
});

describe('faults that no field shows', () => {
  test('a change of a field removes its faults only', () => expect(withoutFaultsAt(invalid, 'choices')?.faults).toEqual([faults[0], faults[2]]));
  test('nothing remains if fields show all faults', () => expect(unplaced(invalid, ['name', 'choices', 'steps'])).toBeUndefined());
  test('faults of other members remain', () => expect(unplaced(invalid, ['name'])?.faults).toHaveLength(2));
  test('an error without faults remains', () => expect(unplaced(new ApiError(409, { code: 'in_use' }), ['name'])?.code).toBe('in_use'));
});
