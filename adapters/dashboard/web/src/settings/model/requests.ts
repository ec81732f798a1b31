import { useQueryClient } from '@tanstack/react-query';
import { api, dataOf, type Schemas } from '../../api/client';
import { collectionsQuery, componentsQuery } from '../../api/queries';

/** A collection or a component: both are a named list of fields. Components lack the other members of collections, such as an icon. */
export type Definition = Schemas['Component'] & Partial<Omit<Schemas['Collection'], keyof Schemas['Component']>>;
export type Kind = 'collections' | 'components';

/** The definitions of a Project of one kind. */
export const definitionsQuery = (kind: Kind, projectId: number) => (kind === 'components' ? componentsQuery(projectId) : collectionsQuery(projectId)) as ReturnType<typeof componentsQuery>;

/** Returns a function that refetches the definitions: a change of a component is also a change of the collections that use it. */
export function useRefresh(projectId: number) {
  const client = useQueryClient();
  return () => Promise.all([collectionsQuery(projectId), componentsQuery(projectId)].map(({ queryKey }) => client.invalidateQueries({ queryKey })));
}

// Components have the same routes and, without singleton, icon and previewUrl, the same bodies as collections: the types of these are right for both.
const routeOf = (kind: Kind) => `/api/projects/{projectId}/${kind}` as '/api/projects/{projectId}/collections';

export const create = (kind: Kind, projectId: number, body: Schemas['CollectionInput']) => dataOf(api.POST(routeOf(kind), { params: { path: { projectId } }, body }));

/** The requests that change a definition. A removal and an addition of a field can need an acknowledgement. */
export function requestsOf(kind: Kind, { projectId, id }: Pick<Definition, 'projectId' | 'id'>) {
  const path = { projectId, collectionId: id };
  const one = `${routeOf(kind)}/{collectionId}` as const;
  const fields = `${one}/fields` as const;
  const field = `${fields}/{name}` as const;
  return {
    change: (body: Schemas['CollectionChange']) => api.PATCH(one, { params: { path }, body }),
    remove: (acknowledge?: true) => api.DELETE(one, { params: { path, query: { acknowledge } } }),
    addField: (body: Schemas['FieldInput'], acknowledge?: true) => api.POST(fields, { params: { path, query: { acknowledge } }, body }),
    changeField: (name: string, body: Schemas['FieldChange']) => api.PATCH(field, { params: { path: { ...path, name } }, body }),
    fill: (group: string, body: Schemas['Filling']) => dataOf(api.POST(`/api/projects/{projectId}/collections/{collectionId}/fields/{name}/fill`, { params: { path: { ...path, name: group } }, body })),
    removeField: (name: string, acknowledge?: true) => api.DELETE(field, { params: { path: { ...path, name }, query: { acknowledge } } }),
  };
}
