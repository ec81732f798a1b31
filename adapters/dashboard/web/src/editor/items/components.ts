import { useMemo } from 'react';
import { $api } from '../../api/client';
import { bySlug } from './structured';
import type { Components } from './values';

/** The components of a Project. Suspends until they are loaded. */
export function useComponents(projectId: number): Components {
  const { data } = $api.useSuspenseQuery('get', '/api/projects/{projectId}/components', { params: { path: { projectId } } }, { staleTime: 60_000 });
  return useMemo(() => bySlug(data.data), [data]);
}
