import type { Schemas } from '../../api/client';
import { rolesOf, type Place } from '../people/places';

type Mapping = Schemas['GroupMapping'];
type Role = NonNullable<Mapping['role']>;

/** A mapping in a form. A custom role is its id with a prefix, and has the place of its department. */
export type MappingRow = { group: string; choice: Role | `custom${number}`; place: number | null };

export type Values = { groupsClaim: string; mappings: MappingRow[] };

export const blank: MappingRow = { group: '', choice: 'editor', place: null };

const placeIds = { tenant: 'tenantId', department: 'departmentId', project: 'projectId' } as const;
const kinds = ['project', 'department', 'tenant'] as const;

/** The kind of the places in which a role is given; undefined for a custom role. */
export const kindOf = (choice: MappingRow['choice']): Place['kind'] | undefined => kinds.find((kind) => (rolesOf[kind] as readonly string[]).includes(choice));

/** The only place in which a role can be given, if there is one. */
export function onlyPlace(places: Record<Place['kind'], { id: number }[]>, choice: MappingRow['choice']): number | null {
  const kind = kindOf(choice);
  const [first, ...others] = kind ? places[kind] : [];
  return first && others.length === 0 ? first.id : null;
}

/** The mappings of the API as rows of the form. */
export const rowsOf = (mappings: readonly Mapping[]): MappingRow[] =>
  mappings.map(({ group, role, tenantId, departmentId, projectId, customRoleId }) => (role ? { group, choice: role, place: projectId ?? departmentId ?? tenantId ?? null } : { group, choice: `custom${customRoleId ?? 0}`, place: null }));

/** A row of the form as the API takes it. */
function mappingOf({ group, choice, place }: MappingRow): Mapping {
  const kind = kindOf(choice);
  return kind ? { group: group.trim(), role: choice as Role, ...(place !== null && { [placeIds[kind]]: place }) } : { group: group.trim(), customRoleId: Number(choice.slice('custom'.length)) };
}

export const mappingsOf = (rows: readonly MappingRow[]) => rows.map(mappingOf);
