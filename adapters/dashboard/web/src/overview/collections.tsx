import { Link } from '@tanstack/react-router';
import type { Schemas } from '../api/client';
import { useFormat } from '../i18n/format';
import { useTexts } from '../i18n/language';
import ui from '../ui/ui.module.css';
import styles from './overview.module.css';

/** The number of entries of each collection. */
export function Collections({ projectId, counts }: { projectId: number; counts: readonly Schemas['CollectionCount'][] }) {
  const t = useTexts('overview').collections;
  const format = useFormat();
  return (
    <section className={styles.section}>
      <header>
        <h2>{t.title}</h2>
      </header>
      {counts.length === 0 ? (
        <p className={styles.none}>
          {t.none}{' '}
          <Link className={ui.link} to="/projects/$projectId/collections" params={{ projectId }}>
            {t.define}
          </Link>
        </p>
      ) : (
        <table className={styles.table}>
          <thead>
            <tr>
              <th scope="col">{t.collection}</th>
              <th scope="col">{t.published}</th>
              <th scope="col">{t.drafts}</th>
              <th scope="col">{t.trashed}</th>
            </tr>
          </thead>
          <tbody>
            {counts.map((count) => (
              <tr key={count.collectionId}>
                <th scope="row">
                  <Link to="/projects/$projectId/collections/$collectionId" params={{ projectId, collectionId: count.collectionId }}>
                    {count.name}
                  </Link>
                </th>
                <td>{format.number(count.published)}</td>
                <td>{format.number(count.drafts)}</td>
                <td>{format.number(count.trashed)}</td>
              </tr>
            ))}
          </tbody>
        </table>
      )}
    </section>
  );
}
