import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { useNavigate } from '@tanstack/react-router';
import { lazy, Suspense } from 'react';
import { api, dataOf } from '../../api/client';
import { asApiError } from '../../api/error';
import { useSession } from '../../api/queries';
import { useTexts } from '../../i18n/language';
import { withTexts } from '../../texts/load';
import { Note, Problem, Time } from '../../ui/basics';
import { Button } from '../../ui/button';
import { toast } from '../../ui/toast';
import ui from '../../ui/ui.module.css';
import { Removal } from '../deletion';
import { Copyable, Section } from '../parts';
import settings from '../settings.module.css';
import { Connection } from './connection';
import { Domains } from './domains';
import { ProviderFrame } from './frame';
import { People } from './people';
import { providerQuery, providersQuery, type Provider } from './queries';
import { ProviderState } from './state';

const Groups = lazy(() => withTexts(import('./groups'), 'tokens').then((m) => ({ default: m.Groups })));

/** The page of an identity provider: its state, domains, connection, and what its people may do. */
export function ProviderPage({ tenantId, providerId }: { tenantId: number; providerId: number }) {
  const t = useTexts('people').provider;
  const copyable = useTexts('settings').copyable;
  return (
    <ProviderFrame
      tenantId={tenantId}
      query={useQuery(providerQuery(tenantId, providerId))}
      title={(provider) => provider?.name ?? t.all}
      actions={({ state }) => <ProviderState state={state} />}
    >
      {(provider, tenant) => (
        <>
          <State provider={provider} />
          <Domains provider={provider} />
          <Section title={t.connection} lead={t.connectionLead}>
            <dl className={settings.facts}>
              <dt>{t.callback}</dt>
              <dd>
                <Copyable texts={copyable} value={`${window.location.origin}/sso/${provider.id}/callback`} />
              </dd>
            </dl>
            <Connection provider={provider} />
          </Section>
          <People provider={provider} />
          <Suspense>
            <Groups provider={provider} tenant={tenant} />
          </Suspense>
          <Remove provider={provider} />
        </>
      )}
    </ProviderFrame>
  );
}

/** Whether the provider signs people in, and what has to be done until it can. */
function State({ provider }: { provider: Provider }) {
  const t = useTexts('people').providerstate;
  const client = useQueryClient();
  const session = useSession();
  const path = { tenantId: provider.tenantId, providerId: provider.id };
  const turn = useMutation({
    mutationFn: (state: 'on' | 'off') => dataOf(api.PATCH('/api/tenants/{tenantId}/identity-providers/{providerId}', { params: { path }, body: { state } })),
    onSuccess: ({ state }) => toast(state === 'on' ? t.turnedOn : t.turnedOff),
    onSettled: () => client.invalidateQueries({ queryKey: providerQuery(provider.tenantId, provider.id).queryKey }),
  });
  const attempt = useMutation({
    mutationFn: async (tab: Window | null) => {
      try {
        const { url } = await dataOf(api.POST('/api/tenants/{tenantId}/identity-providers/{providerId}/try', { params: { path } }));
        (tab ?? window).location.assign(url);
      } catch (error) {
        tab?.close();
        throw error;
      }
    },
  });
  const failed = attempt.error ?? turn.error;
  const tried = provider.triedBy === session.id;
  return (
    <Section
      title={t.title}
      lead={t.lead[provider.state]}
      actions={
        <>
          {/* The tab opens at once: browsers block those that open after an answer. */}
          <Button kind={tried ? undefined : 'primary'} isPending={attempt.isPending} onPress={() => attempt.mutate(window.open('about:blank', '_blank'))}>
            {t.attempt}
          </Button>
          {provider.state === 'on' ? (
            <Button isPending={turn.isPending} onPress={() => turn.mutate('off')}>
              {t.turnOff}
            </Button>
          ) : (
            <Button kind={tried ? 'primary' : undefined} isPending={turn.isPending} isDisabled={!tried} onPress={() => turn.mutate('on')}>
              {t.turnOn}
            </Button>
          )}
        </>
      }
    >
      {failed && <Problem error={asApiError(failed)} />}
      {provider.triedAt && (
        <Note tone={tried ? 'good' : 'neutral'}>
          <p>
            {tried ? t.triedByYou : t.triedByOther} <Time value={provider.triedAt} />
          </p>
        </Note>
      )}
      {!tried && provider.state !== 'on' && <p className={ui.hint}>{t.tryFirst}</p>}
    </Section>
  );
}

function Remove({ provider }: { provider: Provider }) {
  const t = useTexts('people').provider;
  const client = useQueryClient();
  const navigate = useNavigate();
  const { tenantId, id: providerId } = provider;
  return (
    <Section title={t.removal}>
      <Removal
        text={t.removeText}
        title={t.removeTitle(provider.name)}
        typed={provider.name}
        action={t.remove}
        onDelete={async () => {
          await api.DELETE('/api/tenants/{tenantId}/identity-providers/{providerId}', { params: { path: { tenantId, providerId } } });
          await navigate({ to: '/organisation/tenants/$tenantId', params: { tenantId } });
          await client.invalidateQueries({ queryKey: providersQuery(tenantId).queryKey });
        }}
      />
    </Section>
  );
}
