import { useQueries, useQuery } from '@tanstack/react-query';
import type { Schemas } from '../../api/client';
import { useProjects } from '../../api/queries';
import { may } from '../../api/rights';
import { customRolesQuery, departmentQuery, departmentsQuery } from '../queries';
import { customOption, type Offer } from './inviteform';
import type { Place } from './places';

type Department = Schemas['Department'];

/** The custom roles that the user may give in Departments. */
function useCustomRoles(departments: readonly Department[]): Offer['customRoles'] {
  const managed = departments.filter((department) => may(department, 'custom_role.manage'));
  return useQueries({ queries: managed.map(({ id }) => customRolesQuery(id)) }).flatMap((query, i) => query.data?.data.map((role) => customOption(role, managed[i]?.name)) ?? []);
}

/** What the user may offer to people who are invited to Tenants. */
export function useOfferInTenants(tenants: readonly Schemas['Tenant'][]): Offer {
  const projects = useProjects().filter(({ tenantId }) => tenants.some(({ id }) => id === tenantId));
  const departments = useQueries({ queries: tenants.map(({ id }) => departmentsQuery(id)) }).flatMap((query) => query.data?.data ?? []);
  const option = ({ id, name, tenantId }: { id: number; name: string; tenantId: number }) => ({
    id,
    label: name,
    detail: tenants.length > 1 ? tenants.find((tenant) => tenant.id === tenantId)?.name : undefined,
  });
  return {
    places: {
      tenant: tenants.filter((tenant) => may(tenant, 'tenant.members.manage')).map(({ id, name }) => ({ id, label: name })),
      department: departments.filter((department) => may(department, 'department.members.manage')).map(option),
      project: projects.filter((project) => may(project, 'project.members.manage')).map(option),
    },
    customRoles: useCustomRoles(departments),
  };
}

/** What the user may offer to people who are invited to a Department and its Projects, or to one Project. */
export function useOfferIn({ kind, id }: Place): Offer {
  const inDepartment = kind === 'department';
  const department = useQuery({ ...departmentQuery(id), enabled: inDepartment }).data;
  const projects = useProjects().filter((project) => (inDepartment ? project.departmentId === id : kind === 'project' && project.id === id));
  const option = ({ id: value, name }: { id: number; name: string }) => ({ id: value, label: name });
  return {
    places: {
      tenant: [],
      department: department && may(department, 'department.members.manage') ? [option(department)] : [],
      project: projects.filter((project) => may(project, 'project.members.manage')).map(option),
    },
    customRoles: useCustomRoles(department ? [department] : []),
  };
}
