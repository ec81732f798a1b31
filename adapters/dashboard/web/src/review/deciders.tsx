import { useQuery } from '@tanstack/react-query';
import { $api, type Schemas } from '../api/client';
import { may } from '../api/rights';
import { useFormat } from '../i18n/format';
import { useTexts } from '../i18n/language';

const minute = { staleTime: 60_000 };
const shown = 3; // names; only the number of the others is shown

/** The Project or Department in which a workflow applies. */
export type WorkflowPlace = { project?: Schemas['Project']; departmentId: number | null; tenantId: number };

export const placeOf = (project: Schemas['Project']): WorkflowPlace => ({ project, departmentId: project.departmentId, tenantId: project.tenantId });

export type Decider = {
  roleKind: Schemas['WorkflowStep']['requiredRoleKind'];
  customRoleId: number | null;
  /** The ids of the users that can decide the step of a request; undefined if there is no request. */
  users?: readonly number[];
};

/**
 * The names of the users with the role that a step requires and who can decide it, if the user may
 * see them. Users with higher roles can decide the step, too, but are not named.
 */
export function Deciders({ place, decider }: { place: WorkflowPlace; decider: Decider }) {
  const t = useTexts('common').deciders;
  const format = useFormat();
  const found = useDeciders(place, decider);
  if (!found) return null;
  const names = namesOf(found, decider.users);
  if (names.length === 0) return decider.users?.length ? t.higher : null;
  const more = names.length - shown;
  return format.list(more > 0 ? [...names.slice(0, shown), t.more(format.number(more))] : names);
}

type User = { id: number; name: string };

/** The names of those of users whose ids are in deciders; undefined: all. */
export const namesOf = (users: readonly User[], deciders: readonly number[] | undefined) => users.filter(({ id }) => deciders?.includes(id) ?? true).map(({ name }) => name);

function useDeciders({ project, departmentId, tenantId }: WorkflowPlace, { roleKind, customRoleId }: Decider): User[] | undefined {
  const kind = customRoleId === null ? roleKind : 'custom';
  const inDepartment = departmentId !== null;
  const department = { params: { path: { departmentId: departmentId ?? 0 } } };
  const tenant = { params: { path: { tenantId } } };

  const holders = $api.useQuery(
    'get',
    '/api/departments/{departmentId}/custom-roles/{customRoleId}/holders',
    { params: { path: { departmentId: departmentId ?? 0, customRoleId: customRoleId ?? 0 } } },
    { ...minute, enabled: kind === 'custom' && inDepartment },
  ).data?.data;
  const members = $api.useQuery(
    'get',
    '/api/projects/{projectId}/members',
    { params: { path: { projectId: project?.id ?? 0 } } },
    { ...minute, enabled: kind === 'admin' && may(project, 'project.members.view') },
  ).data?.data;

  // Most reviewers may not list members above the Project. Check the permission to avoid a 403.
  const ofDepartment = useQuery({ ...$api.queryOptions('get', '/api/departments/{departmentId}', department, minute), enabled: kind === 'department_admin' && inDepartment }).data;
  const ofTenant = useQuery({ ...$api.queryOptions('get', '/api/tenants/{tenantId}', tenant, minute), enabled: kind === 'tenant_admin' }).data;
  const departmentAdmins = $api.useQuery('get', '/api/departments/{departmentId}/members', department, { ...minute, enabled: may(ofDepartment, 'department.members.view') }).data?.data;
  const tenantAdmins = $api.useQuery('get', '/api/tenants/{tenantId}/members', tenant, { ...minute, enabled: may(ofTenant, 'tenant.members.view') }).data?.data;

  switch (kind) {
    case 'custom':
      return holders;
    case 'admin':
      return members?.filter((member) => member.role === 'admin').map(userOf);
    case 'department_admin':
      return departmentAdmins?.map(userOf);
    case 'tenant_admin':
      return tenantAdmins?.map(userOf);
  }
}

const userOf = (member: Schemas['Member']): User => ({ id: member.userId, name: member.name });
