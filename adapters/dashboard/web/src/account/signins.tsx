import { useMutation } from '@tanstack/react-query';
import { KeyRound } from 'lucide-react';
import { useState } from 'react';
import { $api, api, dataOf, type Schemas } from '../api/client';
import { asApiError } from '../api/error';
import { useTexts } from '../i18n/language';
import { Problem, Time } from '../ui/basics';
import { Button } from '../ui/button';
import { Confirm } from '../ui/overlays';
import styles from './account.module.css';
import { Verify } from './verify';

type Link = Schemas['ProviderLink'];

/** The sign-ins at identity providers of the user's account: link and unlink. Without any provider it shows nothing. */
export function SignIns() {
  const t = useTexts('account').signins;
  const { data, error, refetch } = $api.useQuery('get', '/api/me/identity-providers');
  const [unlinked, setUnlinked] = useState<Link>();
  const link = useMutation({
    mutationFn: async ({ id }: Link) => {
      const { url } = await dataOf(api.POST('/api/me/identity-providers/{providerId}', { params: { path: { providerId: id } } }));
      window.location.assign(url);
    },
  });
  const unlink = useMutation({
    mutationFn: async ({ id }: Link) => {
      await api.DELETE('/api/me/identity-providers/{providerId}', { params: { path: { providerId: id } } });
      window.location.assign('/dashboard/sign-in'); // all sessions have ended
    },
  });
  const toVerify = [link, unlink].find((m) => m.error && asApiError(m.error).code === 'verify_first');
  const failed = error ?? [link, unlink].find((m) => m.error && m !== toVerify)?.error;
  const again = () => toVerify?.variables && toVerify.mutate(toVerify.variables);
  const list = data?.data ?? [];
  if (list.length === 0 && !error) return null;
  return (
    <section>
      <h2>{t.title}</h2>
      <p>{t.lead}</p>
      {failed && <Problem error={failed} retry={error ? () => void refetch() : undefined} />}
      <ul className={styles.sessions}>
        {list.map((one) => (
          <li key={one.id}>
            <KeyRound aria-hidden />
            <span>
              <span>{one.name}</span>
              <small>
                {one.linkedAt ? (
                  <>
                    {t.linked} <Time value={one.linkedAt} />
                  </>
                ) : (
                  t.notLinked
                )}
              </small>
            </span>
            {one.linkedAt ? (
              <Button kind="quiet" aria-label={t.unlinkOne(one.name)} isPending={unlink.isPending} onPress={() => setUnlinked(one)}>
                {t.unlink}
              </Button>
            ) : (
              <Button aria-label={t.linkOne(one.name)} isPending={link.isPending && link.variables.id === one.id} onPress={() => link.mutate(one)}>
                {t.link}
              </Button>
            )}
          </li>
        ))}
      </ul>
      <Confirm
        title={t.unlinkTitle(unlinked?.name ?? '')}
        isOpen={unlinked !== undefined}
        onClose={() => setUnlinked(undefined)}
        onConfirm={() => {
          if (unlinked) unlink.mutate(unlinked);
          setUnlinked(undefined);
        }}
        action={t.unlink}
        danger
      >
        <p>{t.unlinkText}</p>
      </Confirm>
      {toVerify && <Verify purpose="factors" onClose={() => toVerify.reset()} onVerified={again} />}
    </section>
  );
}
