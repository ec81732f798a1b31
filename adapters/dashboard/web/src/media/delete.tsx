import { useQuery, useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { api } from '../api/client';
import { asApiError, type ApiError } from '../api/error';
import { texts, useTexts } from '../i18n/language';
import { Note, Problem } from '../ui/basics';
import { Button } from '../ui/button';
import { Dialog } from '../ui/overlays';
import { dropMedia, mediaUsesQuery, refreshMedia } from './data';
import { nameOf, type MediaItem } from './kind';
import { UseList } from './uses';

/** Asks for confirmation before deleting an item. Lists the entries that use it or prevent its deletion. */
export function DeleteDialog({ projectId, item, onClose, onDeleted }: { projectId: number; item: MediaItem; onClose: () => void; onDeleted: () => void }) {
  const t = useTexts(words);
  const client = useQueryClient();
  const uses = useQuery(mediaUsesQuery(projectId, item.id)).data?.data;
  const [error, setError] = useState<ApiError>();
  const [pending, setPending] = useState(false);

  const remove = async () => {
    setPending(true);
    setError(undefined);
    try {
      await api.DELETE('/api/projects/{projectId}/media/{mediaId}', { params: { path: { projectId, mediaId: item.id } } });
      onDeleted();
      dropMedia(client, projectId, item.id);
      await refreshMedia(client, projectId);
    } catch (caught) {
      setError(asApiError(caught));
      setPending(false);
    }
  };
  const inUse = error?.code === 'in_use';
  const against = inUse ? uses?.filter((use) => error.faults.some((fault) => fault.location.endsWith(`/entries/${use.entryId}`))) : undefined;

  return (
    <Dialog title={t.title(nameOf(item))} isOpen onClose={onClose}>
      {inUse ? (
        <>
          <Note tone="bad" role="alert">
            {t.inUse}
          </Note>
          {against && <UseList projectId={projectId} uses={against} />}
        </>
      ) : error ? (
        <Problem error={error} />
      ) : uses && uses.length > 0 ? (
        <>
          <p>{t.shown(uses.length)}</p>
          <UseList projectId={projectId} uses={uses} />
        </>
      ) : (
        <p>{t.unused}</p>
      )}
      <footer>
        <Button onPress={onClose}>{inUse ? t.close : t.cancel}</Button>
        {!inUse && (
          <Button kind="danger" isPending={pending} onPress={() => void remove()}>
            {t.remove}
          </Button>
        )}
      </footer>
    </Dialog>
  );
}

const words = texts({
  en: {
    title: (name: string) => `Delete “${name}”?`,
    unused: 'No entry shows this file. It cannot be brought back.',
    shown: (n: number) => (n === 1 ? 'One entry shows this file and will show nothing in its place. It cannot be brought back.' : `${n} entries show this file and will show nothing in its place. It cannot be brought back.`),
    inUse: 'Readers see this file, or will after a review. Unpublish these entries, or withdraw their requests, and delete it then.',
    remove: 'Delete',
    cancel: 'Cancel',
    close: 'Close',
  },
  de: {
    title: (name: string) => `„${name}“ löschen?`,
    unused: 'Kein Eintrag zeigt diese Datei. Sie lässt sich nicht wiederherstellen.',
    shown: (n: number) => (n === 1 ? 'Ein Eintrag zeigt diese Datei und wird an ihrer Stelle nichts zeigen. Sie lässt sich nicht wiederherstellen.' : `${n} Einträge zeigen diese Datei und werden an ihrer Stelle nichts zeigen. Sie lässt sich nicht wiederherstellen.`),
    inUse: 'Diese Datei ist öffentlich zu sehen oder wird es nach einer Freigabe sein. Nehmen Sie diese Einträge zurück oder ziehen Sie ihre Anträge zurück, dann lässt sie sich löschen.',
    remove: 'Löschen',
    cancel: 'Abbrechen',
    close: 'Schließen',
  },
});
