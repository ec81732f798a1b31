import { KeyRound } from 'lucide-react';
import { $api, type Schemas } from '../api/client';
import { useSession } from '../api/queries';
import { useTexts } from '../i18n/language';
import { Problem, Time } from '../ui/basics';
import styles from './account.module.css';

const abilities = ['read', 'create', 'update', 'delete'] as const;

/** The valid tokens that the user made. It shows nothing to users without one. */
export function OwnTokens() {
  const t = useTexts('account').tokens;
  const { id } = useSession();
  const { data, error, refetch } = $api.useQuery('get', '/api/users/{userId}/tokens', { params: { path: { userId: id } } });
  if (!error && (!data || data.data.length + data.others === 0)) return null;
  return (
    <section>
      <h2>{t.title}</h2>
      <p>{t.lead}</p>
      {error && <Problem error={error} retry={() => void refetch()} />}
      <ul className={styles.sessions} aria-label={t.title}>
        {data?.data.map((token) => (
          <OwnToken key={token.id} token={token} />
        ))}
      </ul>
      {data && data.others > 0 && <p>{t.others(data.others)}</p>}
    </section>
  );
}

function OwnToken({ token }: { token: Schemas['UserToken'] }) {
  const t = useTexts('account').tokens;
  return (
    <li>
      <KeyRound aria-hidden />
      <span>
        <span>
          {token.name} · {token.projectName}
        </span>
        <small>
          {abilities.filter((a) => token.abilities.includes(a)).map((a) => t.verbs[a]).join(', ')} · {t.made} <Time value={token.createdAt} /> ·{' '}
          {token.lastUsedAt ? (
            <>
              {t.used} <Time value={token.lastUsedAt} />
            </>
          ) : (
            t.unused
          )}
          {token.expiresAt && (
            <>
              {' · '}
              {t.ends} <Time value={token.expiresAt} as="planned" />
            </>
          )}
        </small>
      </span>
    </li>
  );
}
