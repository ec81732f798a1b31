import { useQuery, useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { $api, api, dataOf, type Schemas } from '../../api/client';
import { asApiError, type ApiError } from '../../api/error';
import { useTexts } from '../../i18n/language';
import { Mono, Problem, Skeleton } from '../../ui/basics';
import { Button } from '../../ui/button';
import { Dialog } from '../../ui/overlays';
import { Segments } from '../../ui/segments';
import ui from '../../ui/ui.module.css';
import styles from '../settings.module.css';
import { Stranded } from './stranded';

type User = Schemas['User'];
type Tokens = Schemas['UserTokens'];
type Ended = Schemas['EndedTokens'];
type Choice = 'default' | 'keep' | 'revoke';

const tokensQuery = (userId: number) => $api.queryOptions('get', '/api/users/{userId}/tokens', { params: { path: { userId } } }, { staleTime: 0 });

type DeactivationProps = { user: User | undefined; onClose: () => void; onChanged: () => Promise<unknown> };

/**
 * A dialog that deactivates an account. It lists what becomes of the tokens that the user created, before and after, and says
 * how many requests no user can decide without the account.
 */
export function Deactivation({ user, onClose, onChanged }: DeactivationProps) {
  const t = useTexts('people').deactivation;
  return (
    <Dialog title={user ? t.title(user.name) : ''} isOpen={user !== undefined} onClose={onClose}>
      {user && <Body user={user} onClose={onClose} onChanged={onChanged} />}
    </Dialog>
  );
}

function Body({ user, onClose, onChanged }: { user: User; onClose: () => void; onChanged: () => Promise<unknown> }) {
  const t = useTexts('people').deactivation;
  const client = useQueryClient();
  const query = useQuery(tokensQuery(user.id));
  const removal = $api.useQuery('get', '/api/users/{userId}/deactivation', { params: { path: { userId: user.id } } }, { staleTime: 0 });
  const [choice, setChoice] = useState<Choice>('default');
  const [ended, setEnded] = useState<Ended>();
  const [error, setError] = useState<ApiError>();
  const [pending, setPending] = useState(false);
  const run = async () => {
    setPending(true);
    setError(undefined);
    try {
      const after = await dataOf<Schemas['UpdatedUser']>(
        api.PATCH('/api/users/{userId}', { params: { path: { userId: user.id } }, body: { active: false, ...(choice !== 'default' && { tokens: choice }) } }),
      );
      setEnded(after.tokens ?? { revoked: { data: [], others: 0 }, kept: { data: [], others: 0 } });
      void client.invalidateQueries({ queryKey: tokensQuery(user.id).queryKey });
      await onChanged();
    } catch (caught) {
      setError(asApiError(caught));
    } finally {
      setPending(false);
    }
  };
  if (ended)
    return (
      <>
        <div className={ui.ask} role="status">
          <p>{t.done(user.name)}</p>
          <List title={t.revoked} tokens={ended.revoked} />
          <List title={t.kept} tokens={ended.kept} />
        </div>
        <footer>
          <Button kind="primary" onPress={onClose} autoFocus>
            {t.close}
          </Button>
        </footer>
      </>
    );
  const tokens = query.data;
  const some = tokens && tokens.data.length + tokens.others > 0;
  const stays = (token: Tokens['data'][number]) => choice === 'keep' || (choice === 'default' && token.readOnly);
  return (
    <>
      <div className={ui.ask}>
        <p>{t.text}</p>
        {removal.error && <Problem error={removal.error} retry={() => void removal.refetch()} />}
        <Stranded removal={removal.data} />
        {query.error && <Problem error={query.error} retry={() => void query.refetch()} />}
        {!tokens && !query.error && <Skeleton />}
        {some && (
          <>
            <p>{t.tokens(user.name)}</p>
            <Segments<Choice> label={t.choice} value={choice} onChange={setChoice} options={(['default', 'keep', 'revoke'] as const).map((id) => ({ id, label: t.choices[id] }))} />
            <p>{t.means[choice]}</p>
            <List title={t.willRevoke} tokens={{ data: tokens.data.filter((token) => !stays(token)), others: 0 }} />
            <List title={t.willKeep} tokens={{ data: tokens.data.filter(stays), others: 0 }} />
            {tokens.others > 0 && <p>{t.others(tokens.others)}</p>}
          </>
        )}
        {tokens && !some && <p>{t.none(user.name)}</p>}
      </div>
      {error && <Problem error={error} />}
      <footer>
        <Button onPress={onClose}>{t.cancel}</Button>
        <Button kind="danger" isDisabled={!tokens || removal.isFetching} isPending={pending} onPress={() => void run()}>
          {t.deactivate}
        </Button>
      </footer>
    </>
  );
}

function List({ title, tokens }: { title: string; tokens: Tokens }) {
  const t = useTexts('people').deactivation;
  if (tokens.data.length + tokens.others === 0) return null;
  return (
    <>
      <p>
        <b>{title}</b>
      </p>
      <ul className={styles.list}>
        {tokens.data.map((token) => (
          <li key={token.id}>
            {token.name} <Mono>…{token.hint}</Mono>, {token.projectName}
          </li>
        ))}
        {tokens.others > 0 && <li>{t.others(tokens.others)}</li>}
      </ul>
    </>
  );
}
