import { useMutation } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { Undo2 } from 'lucide-react';
import { useState } from 'react';
import { api, dataOf, ifMatch } from '../api/client';
import { queryClient } from '../api/queries';
import { may } from '../api/rights';
import { ApiButton } from '../content/apibutton';
import { entryPage } from '../content/pageurl';
import { SeePage } from '../content/seepage';
import { StatusChip } from '../content/statuschip';
import { titleField } from '../content/fields';
import { useTexts } from '../i18n/language';
import { Page } from '../shell/page';
import { Note, Problem } from '../ui/basics';
import { Button, ButtonLink } from '../ui/button';
import { focusNext } from '../ui/focus';
import { toast } from '../ui/toast';
import { EditingContext, useEditing, type Editing } from './context';
import { entryQuery, standingChanged } from './queries';
import styles from './beside.module.css';
import { About } from './panel/about';
import { Languages } from './panel/languages';
import { ReadValue } from './readvalue';
import { nameOf } from './related';
import { EntryStore, type Entry } from './store';

/** The draft for users with read access only. */
export function ReadEntry({ entry, project, collection, collections }: Omit<Editing, 'store' | 'locale'> & { entry: Entry }) {
  const t = useTexts('editor').readentry;
  const place = { projectId: project.id, collectionId: collection.id };
  // The components that show values need the context. Nothing writes to this store.
  const [store] = useState(() => new EntryStore(entry, { transport: { save: () => Promise.reject(new Error('read only')) }, backup: noBackup }));
  const title = titleField(collection);
  return (
    <EditingContext value={{ store, project, collection, collections, locale: entry.locale }}>
      <Page
        title={nameOf(collection, entry)}
        above={[
          <Link key="c" activeOptions={{ exact: true }} to="/projects/$projectId/collections/$collectionId" params={place}>
            {collection.name}
          </Link>,
        ]}
        status={<StatusChip entry={entry} />}
        actions={
          <>
            <SeePage quiet url={entryPage(project.previewUrl, collection, entry)} />
            <ApiButton project={project} collection={collection} of={{ entry: entry.id }} />
            {entry.trashedAt === null && <ButtonLink to="/projects/$projectId/collections/$collectionId/entries/$entryId/history" params={{ ...place, entryId: entry.id }} kind="quiet">
              {t.history}
            </ButtonLink>}
          </>
        }
        panel={
          <>
            {entry.trashedAt === null ? (
              <>
                <p className={styles.hint}>{t.reading}</p>
                <Languages entry={entry} />
                <About projectId={project.id} entry={entry} />
              </>
            ) : (
              <Trashed entry={entry} />
            )}
          </>
        }
        panelLabel={t.panel}
        width="full"
      >
        <article className={styles.reading}>
          <h1>{nameOf(collection, entry)}</h1>
          <dl>
            {collection.fields
              .filter((f) => f !== title)
              .map((f) => (
                <div key={f.name}>
                  <dt>{f.label}</dt>
                  <dd>
                    <ReadValue field={f} value={entry.fields[f.name]} />
                  </dd>
                </div>
              ))}
          </dl>
        </article>
      </Page>
    </EditingContext>
  );
}

/** How an entry in the trash can be restored. */
function Trashed({ entry }: { entry: Entry }) {
  const t = useTexts('editor').readentry;
  const { project, collection } = useEditing();
  const place = { projectId: project.id, collectionId: collection.id };
  const restore = useMutation({
    mutationFn: () => dataOf(api.POST('/api/projects/{projectId}/collections/{collectionId}/content/{contentId}/restore', { params: { path: { ...place, contentId: entry.id }, header: { 'If-Match': ifMatch(entry) } } })),
    onSuccess: (restored) => {
      queryClient.setQueryData(entryQuery(place, entry.id).queryKey, restored);
      standingChanged();
      toast(t.restored);
      focusNext(() => document.getElementById('content'));
    },
  });
  return (
    <>
      <Note tone="wait">{t.inTrash}</Note>
      {may(project, 'content.write') && (
        <Button icon={<Undo2 aria-hidden />} isPending={restore.isPending} onPress={() => restore.mutate()}>
          {t.restore}
        </Button>
      )}
      {restore.error && <Problem error={restore.error} />}
    </>
  );
}

const noBackup = { read: async () => undefined, write: async () => undefined, remove: async () => undefined };
