import { useQuery, useQueryClient } from '@tanstack/react-query';
import { useRef, useState } from 'react';
import { api, dataOf } from '../api/client';
import { asApiError, type ApiError } from '../api/error';
import { collectionsQuery, useProject } from '../api/queries';
import { useFormat } from '../i18n/format';
import { useTexts } from '../i18n/language';
import { Note, Problem } from '../ui/basics';
import { Button } from '../ui/button';
import { inputClass, Field } from '../ui/forms';
import { Dialog } from '../ui/overlays';
import { mediaUsesQuery, refreshMedia } from './data';
import { nameOf, type MediaItem } from './kind';
import { replaceInEntry } from './replace';
import { sendFile } from './send';
import { inTurns } from './turns';
import { workflowQuery } from '../editor/queries';
import { UseList } from './uses';

type Props = { projectId: number; item: MediaItem; onClose: () => void; onReplaced: (by: MediaItem) => void };

/**
 * Uploads a file that replaces an item: it gets the words and the folder of the item, and entries with
 * the item get it instead. The old item stays, because published versions can refer to it.
 */
export function ReplaceDialog({ projectId, item, onClose, onReplaced }: Props) {
  const t = useTexts('media').replacedialog;
  const format = useFormat();
  const client = useQueryClient();
  const project = useProject(projectId);
  const collections = useQuery(collectionsQuery(projectId)).data?.data;
  const workflow = useQuery(workflowQuery(projectId)).data?.workflow;
  const uses = useQuery(mediaUsesQuery(projectId, item.id)).data?.data;
  const shown = uses?.filter((use) => !use.trashed) ?? [];
  const [file, setFile] = useState<File>();
  const [sent, setSent] = useState<number>();
  const [error, setError] = useState<ApiError>();
  const [failed, setFailed] = useState<typeof shown>();
  const arrived = useRef<MediaItem>(undefined);
  const abort = useRef(new AbortController());
  const tooLarge = file && project && file.size > project.uploadLimit;

  const replace = async () => {
    setError(undefined);
    setSent(0);
    try {
      arrived.current ??= await upload();
      const by = arrived.current;
      const results = await inTurns(failed ?? shown, async (use) => {
        abort.current.signal.throwIfAborted();
        const collection = collections?.find((c) => c.id === use.collectionId);
        if (collection) await replaceInEntry(projectId, collection, use.entryId, item.id, by.id);
      });
      const remaining = results.filter((r) => r.error).map((r) => r.item);
      await Promise.all([refreshMedia(client, projectId), client.invalidateQueries({ queryKey: mediaUsesQuery(projectId, item.id).queryKey })]);
      if (abort.current.signal.aborted) return;
      if (remaining.length === 0) return onReplaced(by);
      setFailed(remaining);
    } catch (caught) {
      if (!abort.current.signal.aborted) setError(asApiError(caught));
    }
    setSent(undefined);
  };

  const uploaded = useRef<number>(undefined); // the id of the new item, so that a retry does not upload it again
  const upload = async () => {
    uploaded.current ??= (await sendFile(`/api/projects/${projectId}/media/upload`, file!, setSent, abort.current.signal)).id;
    const id = uploaded.current;
    return dataOf(api.PATCH('/api/projects/{projectId}/media/{mediaId}', { params: { path: { projectId, mediaId: id } }, body: { caption: item.caption, tags: item.tags, alt: item.alt, focalPoint: item.focalPoint, folder: item.folder } }));
  };

  const choose = (chosen?: File) => {
    uploaded.current = arrived.current = undefined;
    setFile(chosen);
  };

  const close = () => {
    abort.current.abort();
    onClose();
  };

  return (
    <Dialog title={t.title(nameOf(item))} isOpen onClose={close}>
      <p>{t.lead}</p>
      {workflow !== undefined && <p>{workflow ? t.untilReview : t.immediately}</p>}
      {shown.length > 0 && !failed && (
        <>
          <p>{t.uses(shown.length)}</p>
          <UseList projectId={projectId} uses={shown} />
        </>
      )}
      {error && <Problem error={error} />}
      {failed ? (
        <>
          <Note tone="bad" role="alert">
            {t.failed(failed.length)}
          </Note>
          <UseList projectId={projectId} uses={failed} />
        </>
      ) : (
        <Field label={t.file} fault={tooLarge ? t.tooLarge(format.bytes(file.size), format.bytes(project.uploadLimit)) : undefined}>
          {(control) => <input {...control} className={inputClass} type="file" onChange={(event) => choose(event.target.files?.[0])} />}
        </Field>
      )}
      {sent !== undefined && file && <progress max={Math.max(1, file.size)} value={sent} aria-label={t.title(nameOf(item))} />}
      <footer>
        <Button onPress={close}>{failed ? t.close : t.cancel}</Button>
        <Button kind="primary" onPress={() => void replace()} isPending={sent !== undefined} isDisabled={!file || tooLarge || uses === undefined || collections === undefined}>
          {failed ? t.again : t.replace}
        </Button>
      </footer>
    </Dialog>
  );
}
