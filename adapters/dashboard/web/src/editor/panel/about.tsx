import { useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { useSession } from '../../api/queries';
import { useTexts } from '../../i18n/language';
import { actorName } from '../../ui/actor';
import { Mono, Time } from '../../ui/basics';
import { publicationsQuery, revisionsQuery } from '../queries';
import type { Entry } from '../store';
import ui from '../../ui/ui.module.css';
import styles from './panel.module.css';

/** The published version, the release number and the latest author of an entry. */
export function About({ projectId, entry, saved }: { projectId: number; entry: Entry; saved?: number }) {
  const t = useTexts('editor').about;
  const place = { projectId, collectionId: entry.collectionId };
  const session = useSession();
  const publication = useQuery({ ...publicationsQuery(place, entry.id), enabled: entry.state === 'published' }).data?.data[0];
  const revision = useQuery(revisionsQuery(place, entry.id)).data?.data[0];
  const mine = saved !== undefined;
  return (
    <section aria-labelledby="about">
      <h2 id="about">{t.title}</h2>
      <dl className={styles.about}>
        <dt>{t.readers}</dt>
        <dd>
          {entry.state === 'draft' ? t.nothing : (publication && publication.unpublishedAt === null) ? <>{t.version} <Time value={publication.publishedAt} as="dateTime" /></> : ' '}
        </dd>
        {entry.approval && (
          <>
            <dt>{t.release}</dt>
            <dd>
              <Link to="/review/$projectId/$collectionId/$entryId" params={{ ...place, entryId: entry.id }}>
                <Mono>{entry.approval.releaseNumber}</Mono>
              </Link>
            </dd>
          </>
        )}
        <dt>{t.editedBy}</dt>
        <dd>
          {mine ? session.name : (revision ? actorName(revision.by) : ' ')}
          {(mine || revision) && (
            <>
              , <Time value={mine ? new Date(saved).toISOString() : revision!.updatedAt} />
            </>
          )}
        </dd>
      </dl>
      <Link className={ui.link} to="/projects/$projectId/collections/$collectionId/entries/$entryId/history" params={{ ...place, entryId: entry.id }}>
        {t.history}
      </Link>
    </section>
  );
}
