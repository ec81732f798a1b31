import { useQuery } from '@tanstack/react-query';
import { lazy, Suspense, useMemo, useState } from 'react';
import { queryClient } from '../api/queries';
import { StatusChip } from '../content/statuschip';
import { useTexts } from '../i18n/language';
import { Problem, Skeleton } from '../ui/basics';
import { Button } from '../ui/button';
import { Confirm, Dialog, useDialogGuard } from '../ui/overlays';
import { EditingContext, RelatedContext, useEditing, useMeta, type Related } from './context';
import styles from './editor.module.css';
import { Fields } from './fields';
import { Notes } from './notes';
import { useActions } from './panel/actions';
import { FaultList } from './panel/faultlist';
import { MainButton } from './panel/mainbutton';
import { entryQuery } from './queries';
import { SaveStatus } from './savestatus';
import type { Entry } from './store';
import { useEntryStore } from './usestore';

const Conflicts = lazy(() => import('./conflicts').then((m) => ({ default: m.Conflicts })));

type Props = Related & { onClose: () => void };

/** Edits or creates a related entry in a dialog above the page, which stays as it is. */
export default function InPlace({ onClose, ...related }: Props) {
  const t = useTexts('editor').relation;
  const { project } = useEditing();
  const { collection } = related;
  const entryId = 'entryId' in related ? related.entryId : undefined;
  const query = useQuery({ ...entryQuery({ projectId: project.id, collectionId: collection.id }, entryId ?? 0), enabled: entryId !== undefined });
  return (
    <Dialog title={entryId === undefined ? t.create(collection.name) : collection.name} isOpen onClose={onClose} size="large">
      {query.error ? (
        <Problem error={query.error} retry={() => void query.refetch()} />
      ) : entryId !== undefined && !query.data ? (
        <Skeleton />
      ) : (
        <Form collection={collection} entry={query.data} onCreated={'picked' in related ? related.picked : undefined} onClose={onClose} />
      )}
    </Dialog>
  );
}

type FormProps = { collection: Related['collection']; entry?: Entry; onCreated?: (id: number) => void; onClose: () => void };

function Form({ collection, entry, onCreated, onClose }: FormProps) {
  const t = useTexts('editor');
  const { project, collections, locale: around } = useEditing();
  const locale = entry?.locale ?? around;
  const store = useEntryStore({ inPlace: true, entry, onCreated: (made) => onCreated?.(made.id), project, collection, locale });
  const editing = useMemo(() => ({ store, project, collection, collections, locale }), [store, project, collection, collections, locale]);
  const meta = useMeta(store);
  const actions = useActions(editing);
  const [asked, ask] = useState(false);
  useDialogGuard(meta.state.kind !== 'saved' || store.unsaved);
  const leave = () => {
    void queryClient.invalidateQueries({ queryKey: ['related'] }); // titles and states that the page shows
    onClose();
  };
  const close = async () => (!store.unsaved || (await store.flush()) ? leave() : ask(true));
  return (
    <EditingContext value={editing}>
      <RelatedContext value={null}>
        <div className={styles.inPlace} data-in-place>
          <p className={styles.inPlaceState}>
            {meta.entry && <StatusChip entry={meta.entry} />}
            <SaveStatus store={store} />
          </p>
          <Notes />
          <FaultList refusals={actions.refusals} />
          <Fields />
        </div>
      </RelatedContext>
      <footer>
        <MainButton actions={actions} />
        <Button onPress={() => void close()}>{t.relation.back}</Button>
      </footer>
      {meta.conflicts.length > 0 && (
        <Suspense fallback={null}>
          <Conflicts />
        </Suspense>
      )}
      <Confirm title={t.entryeditor.leaveTitle} isOpen={asked} onClose={() => ask(false)} onConfirm={leave} action={t.entryeditor.leave}>
        <p>{t.entryeditor.leaveText}</p>
      </Confirm>
    </EditingContext>
  );
}
