import { expect, test } from 'vitest';
import { parseUsersSearch } from './search';

test.each([
  [{}, {}],
  [{ tenant: 2, search: ' ann ', page: 3 }, { tenant: 2, search: 'ann', page: 3 }],
  [{ tenant: 'x', search: '', page: 1 }, {}],
  [{ search: 42, page: -1 }, { search: '42' }], // the router parses ?search=42 as a number
])('%j', (raw, want) => expect(parseUsersSearch(raw)).toEqual(want));
