import { useQuery, useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { api } from '../api/client';
import { asApiError, type ApiError } from '../api/error';
import { useTexts } from '../i18n/language';
import { Note, Problem } from '../ui/basics';
import { Button } from '../ui/button';
import { Dialog } from '../ui/overlays';
import { dropMedia, mediaUsesQuery, refreshMedia } from './data';
import { nameOf, type MediaItem } from './kind';
import { UseList } from './uses';

/** Asks for confirmation before deleting an item. Lists the entries that use it or prevent its deletion. */
export function DeleteDialog({ projectId, item, onClose, onDeleted }: { projectId: number; item: MediaItem; onClose: () => void; onDeleted: () => void }) {
  const t = useTexts('media').delete;
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
  const refused = uses?.filter((use) => use.sealed) ?? [];
  const inUse = error?.code === 'in_use' || refused.length > 0;
  const against = error?.code === 'in_use' ? uses?.filter((use) => error.faults.some((fault) => fault.location.endsWith(`/entries/${use.entryId}`))) : refused;

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
