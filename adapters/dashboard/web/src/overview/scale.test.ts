import { expect, test } from 'vitest';
import { ceiling } from './scale';

test.each([[0, 2], [1, 2], [3, 4], [4, 4], [5, 10], [11, 20], [37, 40], [99, 100], [101, 200], [12_345, 20_000]])('an axis for values up to %d ends at %d', (max, end) => expect(ceiling(max)).toBe(end));
