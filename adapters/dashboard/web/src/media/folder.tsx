import { useQuery, useQueryClient } from '@tanstack/react-query';
import { useId, useState } from 'react';
import { api, dataOf } from '../api/client';
import { asApiError, type ApiError } from '../api/error';
import { useTexts } from '../i18n/language';
import { Problem } from '../ui/basics';
import { Button } from '../ui/button';
import { Dialog } from '../ui/overlays';
import { Field, inputClass } from '../ui/textfields';
import { toast } from '../ui/toast';
import { foldersQuery, refreshMedia } from './data';

type FolderFieldProps = { projectId: number; value: string; onChange: (folder: string) => void; onBlur?: () => void; fault?: string; readOnly?: boolean };

/** The path of a folder, with the folders of the library as suggestions. */
export function FolderField({ projectId, value, onChange, onBlur, fault, readOnly }: FolderFieldProps) {
  const t = useTexts('media').folder;
  const { data } = useQuery(foldersQuery(projectId));
  const id = useId();
  return (
    <Field label={t.label} hint={readOnly ? undefined : t.hint} fault={fault}>
      {(attributes) => (
        <>
          <input {...attributes} className={inputClass} list={id} value={value} readOnly={readOnly} autoComplete="off" spellCheck={false} onChange={(event) => onChange(event.target.value)} onBlur={onBlur} />
          <datalist id={id}>{data?.data.map(({ folder }) => folder && <option key={folder} value={folder} />)}</datalist>
        </>
      )}
    </Field>
  );
}

const atOnce = 1000; // the limit of the API

/** Moves items to a folder. onMoved is called when all are there. */
export function MoveDialog({ projectId, ids, onClose, onMoved }: { projectId: number; ids: number[]; onClose: () => void; onMoved: () => void }) {
  const t = useTexts('media').folder;
  const client = useQueryClient();
  const [folder, setFolder] = useState('');
  const [pending, setPending] = useState(false);
  const [error, setError] = useState<ApiError>();
  const fault = error?.faults.find((f) => f.location === 'folder')?.message;
  const run = async () => {
    setPending(true);
    try {
      for (let from = 0; from < ids.length; from += atOnce) {
        await dataOf(api.POST('/api/projects/{projectId}/media/move', { params: { path: { projectId } }, body: { ids: ids.slice(from, from + atOnce), folder } }));
      }
      await refreshMedia(client, projectId);
      toast(t.moved(ids.length, folder));
      onMoved();
    } catch (caught) {
      setError(asApiError(caught));
      setPending(false);
    }
  };
  return (
    <Dialog title={t.title(ids.length)} isOpen onClose={onClose} dismissable={!pending}>
      <FolderField projectId={projectId} value={folder} onChange={setFolder} fault={fault} readOnly={pending} />
      {error && !fault && <Problem error={error} />}
      <footer>
        <Button onPress={onClose} isDisabled={pending}>
          {t.cancel}
        </Button>
        <Button kind="primary" isPending={pending} onPress={() => void run()}>
          {t.move}
        </Button>
      </footer>
    </Dialog>
  );
}
