import { useQuery } from '@tanstack/react-query';
import { api, dataOf, type Schemas } from '../api/client';
import { useSession } from '../api/queries';
import { useEditing, useMeta } from './context';

type Revision = Pick<Schemas['Revision'], 'by' | 'createdAt'>;

/** Who saved the version of a moment: the author of the newest revision that began by then. The newest is first. */
export const saverAt = (revisions: readonly Revision[], at: string) => revisions.find((r) => r.createdAt <= at)?.by;

export type Saver = { by?: Schemas['ActorRef']; /** Whether it was the user, in another tab or window. */ isOwn: boolean };

/** Who saved the version that was merged or is in conflict; undefined until it is known whether it can be found out. */
export function useSaver(enabled: boolean): Saver | undefined {
  const { store, project, collection } = useEditing();
  const { entry, theirsAt } = useMeta(store);
  const { id } = useSession();
  const path = { projectId: project.id, collectionId: collection.id, contentId: entry?.id ?? 0 };
  const { data, error } = useQuery({
    queryKey: ['saver', path.contentId, theirsAt],
    queryFn: () => dataOf(api.GET('/api/projects/{projectId}/collections/{collectionId}/content/{contentId}/revisions', { params: { path, query: { page: 1, perPage: 20 } } })),
    enabled: enabled && entry !== undefined && theirsAt !== undefined,
    retry: false,
  });
  const by = data && theirsAt !== undefined ? saverAt(data.data, theirsAt) : undefined;
  if (!data && !error) return undefined;
  return { by, isOwn: by?.kind === 'user' && by.id === id };
}
