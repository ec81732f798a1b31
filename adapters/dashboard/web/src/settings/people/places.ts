import { api, dataOf, type Schemas } from '../../api/client';
import type { Role } from './roles';

/** An object in which users have roles. */
export type Place = { kind: 'tenant' | 'department' | 'project'; id: number };

type List<T> = { data: T[] };

/** The query for the users with a role in exactly this place. */
export function membersQuery({ kind, id }: Place) {
  return {
    queryKey: ['members', kind, id],
    queryFn: (): Promise<List<Schemas['Member']>> => {
      if (kind === 'tenant') return dataOf(api.GET('/api/tenants/{tenantId}/members', { params: { path: { tenantId: id } } }));
      if (kind === 'department') return dataOf(api.GET('/api/departments/{departmentId}/members', { params: { path: { departmentId: id } } }));
      return dataOf(api.GET('/api/projects/{projectId}/members', { params: { path: { projectId: id } } }));
    },
  };
}

/** The query for users that can get a role in this place and have search in their name or e-mail. */
export function candidatesQuery({ kind, id }: Place, search: string) {
  return {
    queryKey: ['candidates', kind, id, search],
    queryFn: (): Promise<List<Schemas['Candidate']>> => {
      const query = { search };
      if (kind === 'tenant') return dataOf(api.GET('/api/tenants/{tenantId}/candidates', { params: { path: { tenantId: id }, query } }));
      if (kind === 'department') return dataOf(api.GET('/api/departments/{departmentId}/candidates', { params: { path: { departmentId: id }, query } }));
      return dataOf(api.GET('/api/projects/{projectId}/candidates', { params: { path: { projectId: id }, query } }));
    },
  };
}

/** Gives a user a role in this place. It replaces the current role. */
export function setRole({ kind, id }: Place, userId: number, role: Role) {
  const body = { role };
  if (kind === 'tenant') return api.PUT('/api/tenants/{tenantId}/members/{userId}', { params: { path: { tenantId: id, userId } }, body });
  if (kind === 'department') return api.PUT('/api/departments/{departmentId}/members/{userId}', { params: { path: { departmentId: id, userId } }, body });
  return api.PUT('/api/projects/{projectId}/members/{userId}', { params: { path: { projectId: id, userId } }, body });
}

/** Removes the role of a user in this place. */
export function removeRole({ kind, id }: Place, userId: number) {
  if (kind === 'tenant') return api.DELETE('/api/tenants/{tenantId}/members/{userId}', { params: { path: { tenantId: id, userId } } });
  if (kind === 'department') return api.DELETE('/api/departments/{departmentId}/members/{userId}', { params: { path: { departmentId: id, userId } } });
  return api.DELETE('/api/projects/{projectId}/members/{userId}', { params: { path: { projectId: id, userId } } });
}

/** The query for what the removal of the role of a user in this place causes. */
export function removalQuery({ kind, id }: Place, userId: number) {
  return {
    queryKey: ['removal', kind, id, userId],
    staleTime: 0,
    queryFn: (): Promise<Schemas['Removal']> => {
      if (kind === 'tenant') return dataOf(api.GET('/api/tenants/{tenantId}/members/{userId}/removal', { params: { path: { tenantId: id, userId } } }));
      if (kind === 'department') return dataOf(api.GET('/api/departments/{departmentId}/members/{userId}/removal', { params: { path: { departmentId: id, userId } } }));
      return dataOf(api.GET('/api/projects/{projectId}/members/{userId}/removal', { params: { path: { projectId: id, userId } } }));
    },
  };
}

/** The roles that each kind of place has, lowest first. */
export const rolesOf: Record<Place['kind'], readonly Role[]> = {
  tenant: ['tenant_admin'],
  department: ['department_admin'],
  project: ['viewer', 'editor', 'admin'],
};
