import { useMutation } from '@tanstack/react-query';
import { useEffect, useEffectEvent } from 'react';
import { $api, api, dataOf, type Schemas } from '../api/client';
import { asApiError } from '../api/error';
import { useTexts } from '../i18n/language';
import { Problem } from '../ui/basics';
import { Button } from '../ui/button';
import styles from './account.module.css';

/** How the account proves who its user is, besides its second factors: at a provider, and with the password. */
export function useProofs() {
  const { data, isPending } = $api.useQuery('get', '/api/me/identity-providers', {}, { retry: false });
  const links = data?.data ?? [];
  return { isPending, provider: links.find((link) => link.proves), byPassword: links.every((link) => link.passwords) };
}

/** Sends the user to the provider in another tab. onVerified is called once the session counts as verified. */
export function AtProvider({ provider, isPrimary, onVerified }: { provider: Schemas['ProviderLink']; isPrimary: boolean; onVerified: () => void }) {
  const t = useTexts('account').verify;
  const begin = useMutation({
    mutationFn: async (tab: Window | null) => {
      try {
        const before = (await dataOf(api.GET('/api/session')))?.verifiedUntil;
        const { url } = await dataOf(api.POST('/api/me/identity-providers/{providerId}/verify', { params: { path: { providerId: provider.id } } }));
        (tab ?? window).location.assign(url);
        return { tab, before };
      } catch (error) {
        tab?.close();
        throw error;
      }
    },
  });
  const until = $api.useQuery('get', '/api/session', {}, { enabled: begin.isSuccess, staleTime: 0, refetchInterval: 1_000 }).data?.verifiedUntil;
  const isVerified = begin.data !== undefined && until != null && until !== begin.data.before;
  const finish = useEffectEvent(() => {
    begin.data?.tab?.close();
    onVerified();
  });
  useEffect(() => {
    if (isVerified) finish();
  }, [isVerified]);
  return (
    <div className={styles.fields}>
      {begin.error && <Problem error={asApiError(begin.error)} />}
      {/* The tab opens at once: browsers block those that open after an answer. */}
      <Button kind={isPrimary ? 'primary' : undefined} isPending={begin.isPending} onPress={() => begin.mutate(window.open('about:blank', '_blank'))}>
        {t.atProvider(provider.name)}
      </Button>
      <p role="status">{begin.isSuccess && t.waiting}</p>
    </div>
  );
}
