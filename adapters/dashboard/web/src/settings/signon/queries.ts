import { $api, type Schemas } from '../../api/client';

export type Provider = Schemas['IdentityProvider'];

export const providersQuery = (tenantId: number) => $api.queryOptions('get', '/api/tenants/{tenantId}/identity-providers', { params: { path: { tenantId } } }, { staleTime: 0 });

export const providerQuery = (tenantId: number, providerId: number) =>
  $api.queryOptions('get', '/api/tenants/{tenantId}/identity-providers/{providerId}', { params: { path: { tenantId, providerId } } }, { staleTime: 0 });
