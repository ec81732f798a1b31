import { useMutation, useQueryClient } from '@tanstack/react-query';
import { Monitor, Smartphone } from 'lucide-react';
import { $api, api, type Schemas } from '../api/client';
import { useTexts } from '../i18n/language';
import { Chip, Mono, Problem, Time } from '../ui/basics';
import { Button } from '../ui/button';
import { toast } from '../ui/toast';
import styles from './account.module.css';
import { agentName } from './agent';

/** The user's sessions. All except the current one can be ended here. */
export function Sessions() {
  const t = useTexts('account').sessions;
  const client = useQueryClient();
  const { data, error, refetch } = $api.useQuery('get', '/api/me/sessions');
  const refresh = () => client.invalidateQueries({ queryKey: ['get', '/api/me/sessions'] });
  const end = useMutation({
    mutationFn: (sessionId: number) => api.DELETE('/api/me/sessions/{sessionId}', { params: { path: { sessionId } } }),
    onSuccess: () => toast(t.ended),
    onSettled: refresh,
  });
  const endOthers = useMutation({
    mutationFn: () => api.DELETE('/api/me/sessions'),
    onSuccess: () => toast(t.othersEnded),
    onSettled: refresh,
  });
  const retry = () => {
    end.reset();
    endOthers.reset();
    void refetch();
  };
  const failed = error ?? end.error ?? endOthers.error;
  const others = data?.data.filter((session) => !session.current) ?? [];
  return (
    <section>
      <h2>{t.title}</h2>
      <p>{t.lead}</p>
      {failed && <Problem error={failed} retry={retry} />}
      <ul className={styles.sessions} aria-busy={!data || undefined}>
        {data?.data.map((session) => (
          <Session key={session.id} session={session} isPending={end.isPending && end.variables === session.id} onEnd={() => end.mutate(session.id)} />
        ))}
      </ul>
      {others.length > 1 && (
        <div className={styles.actions}>
          <Button onPress={() => endOthers.mutate()} isPending={endOthers.isPending}>
            {t.endOthers}
          </Button>
        </div>
      )}
    </section>
  );
}

function Session({ session, isPending, onEnd }: { session: Schemas['UserSession']; isPending: boolean; onEnd: () => void }) {
  const t = useTexts('account').sessions;
  const name = agentName(session.userAgent) || t.unknown;
  const Icon = /iPhone|Android|iPad/.test(name) ? Smartphone : Monitor;
  return (
    <li>
      <Icon aria-hidden />
      <span>
        <span title={session.userAgent}>{name}</span>
        <small>
          {t.since} <Time value={session.createdAt} />
          {!session.current && (
            <>
              {' · '}
              {t.used} <Time value={session.lastUsedAt} />
            </>
          )}
          {session.address && (
            <>
              {' · '}
              <Mono>{session.address}</Mono>
            </>
          )}
        </small>
      </span>
      {session.current ? (
        <Chip tone="good">{t.current}</Chip>
      ) : (
        <Button onPress={onEnd} isPending={isPending} aria-label={t.endOne(name)}>
          {t.end}
        </Button>
      )}
    </li>
  );
}
