import { Link } from '@tanstack/react-router';
import type { Schemas } from '../api/client';
import { useFormat } from '../i18n/format';
import { useTexts } from '../i18n/language';
import styles from './overview.module.css';

/** The number of reads of each token, in descending order. */
export function Tokens({ projectId, tokens }: { projectId: number; tokens: readonly Schemas['TokenReads'][] }) {
  const t = useTexts('overview').tokens;
  const format = useFormat();
  const most = Math.max(1, ...tokens.map((token) => token.reads));
  return (
    <section className={styles.section}>
      <header>
        <h2>{t.title}</h2>
        <Link to="/projects/$projectId/tokens" params={{ projectId }}>
          {t.all}
        </Link>
      </header>
      {tokens.length === 0 ? (
        <p className={styles.none}>{t.none}</p>
      ) : (
        <table className={`${styles.table} ${styles.reads}`}>
          <thead>
            <tr>
              <th scope="col">{t.token}</th>
              <th scope="col">{t.reads}</th>
            </tr>
          </thead>
          <tbody>
            {tokens.map((token) => (
              <tr key={token.id}>
                <th scope="row">
                  {token.name}
                  <svg viewBox="0 0 100 4" preserveAspectRatio="none" aria-hidden>
                    <rect className={styles.bar} width={(token.reads / most) * 100} height={4} />
                  </svg>
                </th>
                <td>{format.number(token.reads)}</td>
              </tr>
            ))}
          </tbody>
        </table>
      )}
    </section>
  );
}
