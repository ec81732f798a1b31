import { expect, test } from 'vitest';
import { kindOf, mappingsOf, onlyPlace, rowsOf } from './mappings';

test('mappings come back as they were', () => {
  const mappings = [
    { group: 'editors', role: 'editor', projectId: 3 },
    { group: 'desk', role: 'department_admin', departmentId: 2 },
    { group: 'owners', role: 'tenant_admin', tenantId: 1 },
    { group: 'legal', customRoleId: 7 },
  ] as const;
  const rows = rowsOf(mappings);
  expect(rows.map(({ choice, place }) => [choice, place])).toEqual([['editor', 3], ['department_admin', 2], ['tenant_admin', 1], ['custom7', null]]);
  expect(mappingsOf(rows)).toEqual(mappings);
});

test('a role without a place leaves the place out', () => {
  expect(mappingsOf([{ group: ' editors ', choice: 'editor', place: null }])).toEqual([{ group: 'editors', role: 'editor' }]);
});

test('the only place is chosen', () => {
  const places = { tenant: [{ id: 1 }], department: [], project: [{ id: 3 }, { id: 4 }] };
  expect(onlyPlace(places, 'tenant_admin')).toBe(1);
  expect(onlyPlace(places, 'editor')).toBeNull();
  expect(onlyPlace(places, 'custom7')).toBeNull();
  expect(kindOf('custom7')).toBeUndefined();
});
