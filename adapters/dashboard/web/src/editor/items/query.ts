import { $api, type Schemas } from '../../api/client';

export const componentsQuery = (projectId: number) => $api.queryOptions('get', '/api/projects/{projectId}/components', { params: { path: { projectId } } }, { staleTime: 60_000 });

export const bySlug = (list: readonly Schemas['Component'][]): ReadonlyMap<string, Schemas['Component']> => new Map(list.map((c) => [c.slug, c]));
