import { useMutation, useQueryClient } from '@tanstack/react-query';
import { KeyRound } from 'lucide-react';
import { useState } from 'react';
import { $api, api, type Schemas } from '../api/client';
import { asApiError } from '../api/error';
import { createPasskey, hasPasskeys, passkeyDeclined, passkeyKnown } from '../api/passkeys';
import { useTexts } from '../i18n/language';
import { Note, Problem, Time } from '../ui/basics';
import { Button } from '../ui/button';
import { TextField } from '../ui/forms';
import { Confirm, Dialog } from '../ui/overlays';
import { toast } from '../ui/toast';
import styles from './account.module.css';
import { agentName } from './agent';
import { Verify } from './verify';

type Passkey = Schemas['Passkey'];

/** The user's passkeys: add, rename, remove. */
export function Passkeys() {
  const t = useTexts('account').passkeys;
  const client = useQueryClient();
  const { data, error, refetch } = $api.useQuery('get', '/api/me/passkeys');
  const refresh = async () => {
    await client.invalidateQueries({ queryKey: ['get', '/api/me/passkeys'] });
    await client.invalidateQueries({ queryKey: ['get', '/api/session'] });
  };
  const [renamed, setRenamed] = useState<Passkey>();
  const [removed, setRemoved] = useState<Passkey>();
  const add = useMutation({
    mutationFn: async () => {
      const credential = await createPasskey();
      return api.POST('/api/me/passkeys/finish', { body: { credential, name: agentName(navigator.userAgent).slice(0, 100) } });
    },
    onSuccess: () => toast(t.added),
    onSettled: refresh,
  });
  const remove = useMutation({
    mutationFn: (passkey: Passkey) => api.DELETE('/api/me/passkeys/{passkeyId}', { params: { path: { passkeyId: passkey.id } } }),
    onSuccess: () => toast(t.removed),
    onSettled: refresh,
  });
  const declined = [add.error, remove.error].find((e) => e && !passkeyDeclined(e));
  const known = passkeyKnown(declined);
  const failed = error ?? (known ? undefined : declined);
  const toVerify = [add, remove].find((m) => m.error && asApiError(m.error).code === 'verify_first');
  const again = () => {
    if (toVerify === add) add.mutate();
    else if (remove.variables) remove.mutate(remove.variables);
  };
  const list = data?.data ?? [];
  return (
    <section>
      <h2>{t.title}</h2>
      <p>{t.lead}</p>
      {failed && !toVerify && <Problem error={failed} retry={() => (error ? void refetch() : again())} />}
      {known && <Note role="status">{t.known}</Note>}
      <ul className={styles.sessions} aria-busy={!data || undefined}>
        {list.map((passkey) => (
          <li key={passkey.id}>
            <KeyRound aria-hidden />
            <span>
              <span>{passkey.name}</span>
              <small>
                {t.since} <Time value={passkey.createdAt} />
                {' · '}
                {passkey.lastUsedAt ? (
                  <>
                    {t.lastUsed} <Time value={passkey.lastUsedAt} />
                  </>
                ) : (
                  t.neverUsed
                )}
              </small>
            </span>
            <span className={styles.actions}>
              <Button kind="quiet" onPress={() => setRenamed(passkey)} aria-label={t.renameOne(passkey.name)}>
                {t.rename}
              </Button>
              <Button kind="quiet" onPress={() => setRemoved(passkey)} aria-label={t.removeOne(passkey.name)} isPending={remove.isPending && remove.variables?.id === passkey.id}>
                {t.remove}
              </Button>
            </span>
          </li>
        ))}
      </ul>
      {hasPasskeys() ? (
        <div className={styles.actions}>
          <Button onPress={() => add.mutate()} isPending={add.isPending}>
            {t.add}
          </Button>
        </div>
      ) : (
        <p>{t.notHere}</p>
      )}
      {renamed && <Rename passkey={renamed} onClose={() => setRenamed(undefined)} onRenamed={refresh} />}
      <Confirm
        title={t.removeTitle(removed?.name ?? '')}
        isOpen={removed !== undefined}
        onClose={() => setRemoved(undefined)}
        onConfirm={() => {
          if (removed) remove.mutate(removed);
          setRemoved(undefined);
        }}
        action={t.remove}
        danger
      >
        <p>{list.length === 1 ? t.removeLast : t.removeLead}</p>
      </Confirm>
      {toVerify && <Verify purpose="factors" onClose={() => toVerify.reset()} onVerified={again} />}
    </section>
  );
}

function Rename({ passkey, onClose, onRenamed }: { passkey: Passkey; onClose: () => void; onRenamed: () => Promise<void> }) {
  const t = useTexts('account').passkeys;
  const [name, setName] = useState(passkey.name);
  const rename = useMutation({
    mutationFn: () => api.PATCH('/api/me/passkeys/{passkeyId}', { params: { path: { passkeyId: passkey.id } }, body: { name } }),
    onSuccess: async () => {
      await onRenamed();
      onClose();
    },
  });
  return (
    <Dialog title={t.renameTitle} isOpen onClose={onClose}>
      <form
        className={styles.fields}
        onSubmit={(event) => {
          event.preventDefault();
          rename.mutate();
        }}
      >
        {rename.error && <Problem error={rename.error} retry={() => rename.mutate()} />}
        <TextField label={t.name} value={name} onChange={setName} maxLength={100} required />
        <footer>
          <Button onPress={onClose}>{t.cancel}</Button>
          <Button kind="primary" type="submit" isPending={rename.isPending} isDisabled={name.trim() === ''}>
            {t.save}
          </Button>
        </footer>
      </form>
    </Dialog>
  );
}
