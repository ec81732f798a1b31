import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { useNavigate } from '@tanstack/react-router';
import { $api, api, dataOf, ifMatch, type Schemas } from '../api/client';
import { asApiError } from '../api/error';
import { governing } from '../editor/queries';
import { useFormat } from '../i18n/format';
import { useTexts } from '../i18n/language';
import { Note, Problem, Skeleton } from '../ui/basics';
import { Button } from '../ui/button';
import { Dialog } from '../ui/overlays';
import { toast } from '../ui/toast';
import type { ManagedEntry } from './fields';
import { listsKey } from './rows';
import { historyKey, type EntryPath, type Revision } from './timeline';
import { changesQuery, versionQuery } from './version';

type RestoreProps = { project: Schemas['Project']; collection: Schemas['Collection']; entry: ManagedEntry; revision: Revision; onClose: () => void };

/** Shows what the restoration of a revision changes, and restores it. */
export function RestoreDialog({ project, collection, entry, revision, onClose }: RestoreProps) {
  const t = useTexts('content').restore;
  const format = useFormat();
  const navigate = useNavigate();
  const queryClient = useQueryClient();
  const path: EntryPath = { projectId: project.id, collectionId: collection.id, contentId: entry.id };
  const content = useQuery(versionQuery(path, `r${revision.number}`));
  const changes = useQuery(changesQuery(path, `r${revision.number}`, { draft: entry.version }));
  const workflow = useQuery($api.queryOptions('get', '/api/projects/{projectId}/approval-workflow/effective', { params: { path: { projectId: project.id } } })).data;

  const restore = useMutation({
    mutationFn: () =>
      dataOf(
        api.POST('/api/projects/{projectId}/collections/{collectionId}/content/{contentId}/revisions/{number}/restore', {
          params: { path: { ...path, number: revision.number }, header: { 'If-Match': ifMatch(entry) } },
        }),
      ),
    onSuccess: (restored) => {
      const { dropped = [], ...now } = restored;
      queryClient.setQueryData($api.queryOptions('get', '/api/projects/{projectId}/collections/{collectionId}/content/{contentId}', { params: { path } }).queryKey, now);
      void queryClient.invalidateQueries({ queryKey: historyKey(path) });
      void queryClient.invalidateQueries({ queryKey: listsKey(collection) });
      toast(dropped.length > 0 ? t.doneWithout(revision.number, format.list(dropped)) : t.done(revision.number));
      onClose();
      void navigate({ to: '/projects/$projectId/collections/$collectionId/entries/$entryId/history', params: { projectId: project.id, collectionId: collection.id, entryId: entry.id } });
    },
    // The entry was changed in the meantime: fetch it, because If-Match needs its current version.
    onError: (error) => asApiError(error).status === 412 && void queryClient.invalidateQueries({ queryKey: ['get', '/api/projects/{projectId}/collections/{collectionId}/content/{contentId}'] }),
  });

  const changed = new Set(changes.data?.map((change) => change.path.split(/[[.]/)[0]));
  const labels = collection.fields.filter((f) => changed.has(f.name) && !f.hidden && f.type !== 'password').map((f) => f.label);
  const removed = content.data ? Object.keys(content.data.fields).filter((name) => !collection.fields.some((f) => f.name === name)) : [];
  const error = content.error ?? changes.error;
  return (
    <Dialog title={t.title(revision.number)} isOpen onClose={onClose} dismissable={!restore.isPending}>
      {error ? <Problem error={error} /> : null}
      {!content.data || !changes.data ? (
        !error && <Skeleton />
      ) : (
        <>
          <p>{labels.length > 0 ? t.changes(format.list(labels)) : t.nothing}</p>
          {removed.length > 0 && <Note tone="wait">{t.dropped(format.list(removed))}</Note>}
          {workflow && <p>{entry.state === 'published' ? (governing(workflow.workflow, collection) ? t.readersKeep : t.readersSee) : t.onlyDraft}</p>}
        </>
      )}
      {restore.error ? asApiError(restore.error).status === 412 ? <Note tone="bad" role="alert">{t.changed}</Note> : <Problem error={restore.error} /> : null}
      <footer>
        <Button onPress={onClose}>{t.cancel}</Button>
        <Button kind="primary" isDisabled={!content.data || labels.length === 0} isPending={restore.isPending} onPress={() => restore.mutate()}>
          {t.restore}
        </Button>
      </footer>
    </Dialog>
  );
}
