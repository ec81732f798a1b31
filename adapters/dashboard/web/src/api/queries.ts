import { QueryClient } from '@tanstack/react-query';
import { $api, type Schemas } from './client';
import { asApiError } from './error';

export const queryClient = new QueryClient({
  defaultOptions: {
    queries: {
      staleTime: 10_000, // ms
      // A call without a network fails at once, and the page says so, instead of waiting for the network.
      networkMode: 'always',
      retry: (failures, error) => navigator.onLine && failures < 2 && asApiError(error).temporary,
      refetchOnWindowFocus: true,
    },
    mutations: { retry: false, networkMode: 'always' },
  },
});

export const sessionQuery = $api.queryOptions('get', '/api/session', {}, { staleTime: 60_000 });
export const projectsQuery = $api.queryOptions('get', '/api/projects', {}, { staleTime: 60_000 });
export const summaryQuery = $api.queryOptions('get', '/api/approvals/summary', {}, { refetchInterval: 30_000 });

export const noticeSummaryQuery = $api.queryOptions('get', '/api/me/notices/summary', {}, { refetchInterval: 30_000 });

export const collectionsQuery = (projectId: number) =>
  $api.queryOptions('get', '/api/projects/{projectId}/collections', { params: { path: { projectId } } }, { staleTime: 60_000 });

export const componentsQuery = (projectId: number) =>
  $api.queryOptions('get', '/api/projects/{projectId}/components', { params: { path: { projectId } } }, { staleTime: 60_000 });

/** The signed-in user. */
export function useSession(): Schemas['Session'] {
  return $api.useSuspenseQuery('get', '/api/session', {}, { staleTime: 60_000 }).data!; // a call without a session fails
}

/** The Projects that the user may see. */
export function useProjects(): Schemas['Project'][] {
  const refetchInterval = ({ state }: { state: { data?: Schemas['ProjectList'] } }) => state.data?.data.some((p) => !p.localesReady) && 5_000;
  return $api.useSuspenseQuery('get', '/api/projects', {}, { staleTime: 60_000, refetchInterval }).data.data;
}

/** One Project, or undefined if the user may not see it. */
export function useProject(id: number): Schemas['Project'] | undefined {
  return useProjects().find((p) => p.id === id);
}

/** The collections of a Project. */
export function useCollections(projectId: number): Schemas['Collection'][] {
  return $api.useSuspenseQuery('get', '/api/projects/{projectId}/collections', { params: { path: { projectId } } }, { staleTime: 60_000 }).data.data;
}
