import { Link } from '@tanstack/react-router';
import { useState } from 'react';
import { ApiButton } from '../content/apibutton';
import { entryPage } from '../content/pageurl';
import { SeePage } from '../content/seepage';
import { StatusChip } from '../content/statuschip';
import { titleField } from '../content/fields';
import { useTexts } from '../i18n/language';
import { Page } from '../shell/page';
import { ButtonLink } from '../ui/button';
import { EditingContext, type Editing } from './context';
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
            <ButtonLink to="/projects/$projectId/collections/$collectionId/entries/$entryId/history" params={{ ...place, entryId: entry.id }} kind="quiet">
              {t.history}
            </ButtonLink>
          </>
        }
        panel={
          <>
            <p className={styles.hint}>{t.reading}</p>
            <Languages entry={entry} />
            <About projectId={project.id} entry={entry} />
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

const noBackup = { read: async () => undefined, write: async () => undefined, remove: async () => undefined };
