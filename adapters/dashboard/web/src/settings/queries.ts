import { $api } from '../api/client';

// Queries of several settings pages.

const minute = { staleTime: 60_000 };

export const tenantsQuery = $api.queryOptions('get', '/api/tenants', {}, minute);

export const tenantQuery = (tenantId: number) => $api.queryOptions('get', '/api/tenants/{tenantId}', { params: { path: { tenantId } } }, minute);

export const departmentsQuery = (tenantId: number) => $api.queryOptions('get', '/api/tenants/{tenantId}/departments', { params: { path: { tenantId } } }, minute);

export const departmentQuery = (departmentId: number) => $api.queryOptions('get', '/api/departments/{departmentId}', { params: { path: { departmentId } } }, minute);

export const customRolesQuery = (departmentId: number) => $api.queryOptions('get', '/api/departments/{departmentId}/custom-roles', { params: { path: { departmentId } } }, minute);
