import { useQueryClient } from '@tanstack/react-query';
import { api, type Schemas } from '../api/client';
import { projectsQuery } from '../api/queries';

/** Returns a function that changes a Project and refetches the affected queries. */
export function useProjectChange(projectId: number) {
  const client = useQueryClient();
  return async (body: Schemas['ProjectChange']) => {
    await api.PATCH('/api/projects/{projectId}', { params: { path: { projectId } }, body });
    await client.invalidateQueries({ queryKey: projectsQuery.queryKey });
    // A move to another Department changes the effective workflow.
    if ('departmentId' in body) await client.invalidateQueries({ queryKey: ['get', '/api/projects/{projectId}/approval-workflow/effective'] });
  };
}
