import { useMutation, useQueryClient } from '@tanstack/react-query';
import { api, dataOf, type Schemas } from '../../api/client';
import { asApiError } from '../../api/error';
import { may } from '../../api/rights';
import { useSession } from '../../api/queries';
import { useTexts } from '../../i18n/language';
import { Chip, Problem, Time } from '../../ui/basics';
import { Button } from '../../ui/button';
import { useForm } from '../../ui/form';
import { SaveForm } from '../../ui/saveform';
import { TagsField } from '../../ui/tags';
import { toast } from '../../ui/toast';
import { Copyable, Row, Rows, Section } from '../parts';
import settings from '../settings.module.css';
import { providerQuery, type Provider } from './queries';

type Claim = Schemas['DomainClaim'];

/** The domains of a provider, each with the record that claims it. */
export function Domains({ provider }: { provider: Provider }) {
  const t = useTexts('people').domains;
  const client = useQueryClient();
  const path = { tenantId: provider.tenantId, providerId: provider.id };
  const refresh = () => client.invalidateQueries({ queryKey: providerQuery(provider.tenantId, provider.id).queryKey });
  const form = useForm({ domains: provider.domains }, async ({ domains }) => {
    await api.PATCH('/api/tenants/{tenantId}/identity-providers/{providerId}', { params: { path }, body: { domains } });
    await refresh();
  });
  const claim = useMutation({
    mutationFn: (body: Schemas['DomainClaimInput']) => dataOf(api.POST('/api/tenants/{tenantId}/identity-providers/{providerId}/domains', { params: { path }, body })),
    onSuccess: (_, { domain }) => toast(t.claimedNow(domain)),
    onSettled: refresh,
  });
  return (
    <Section title={t.title} lead={t.lead}>
      {provider.claims.length > 0 && (
        <Rows label={t.title}>
          {provider.claims.map((one) => (
            <DomainRow key={one.domain} claim={one} pending={claim.isPending ? claim.variables.domain : undefined} onClaim={(means) => claim.mutate({ domain: one.domain, means })} />
          ))}
        </Rows>
      )}
      {claim.error && <Problem error={asApiError(claim.error)} />}
      <div className={settings.narrow}>
        <SaveForm form={form} action={t.save}>
          <TagsField label={t.field} hint={t.hint} {...form.field('domains')} />
        </SaveForm>
      </div>
    </Section>
  );
}

type RowProps = { claim: Claim; pending: string | undefined; onClaim: (means: 'record' | 'admin') => void };

function DomainRow({ claim, pending, onClaim }: RowProps) {
  const t = useTexts('people').domains;
  const copyable = useTexts('settings').copyable;
  const session = useSession();
  const vouches = may(session, 'tenant.create'); // a super admin
  return (
    <Row
      title={
        <>
          {claim.domain}
          <Chip tone={claim.claimed && !claim.missingSince ? 'good' : 'wait'}>{claim.claimed ? t.claimed : t.open}</Chip>
        </>
      }
      meta={
        claim.claimedAt ? (
          <>
            <span>
              {claim.means === 'admin' ? t.byAdmin : t.byRecord} <Time value={claim.claimedAt} />
            </span>
            {claim.missingSince && (
              <span>
                {t.missing} <Time value={claim.missingSince} />
              </span>
            )}
          </>
        ) : (
          <span>
            {t.record} <Copyable texts={copyable} value={claim.record} />
          </span>
        )
      }
      actions={
        !claim.claimed && (
          <>
            <Button aria-label={t.checkOne(claim.domain)} isPending={pending === claim.domain} onPress={() => onClaim('record')}>
              {t.check}
            </Button>
            {vouches && (
              <Button kind="quiet" aria-label={t.vouchOne(claim.domain)} onPress={() => onClaim('admin')}>
                {t.vouch}
              </Button>
            )}
          </>
        )
      }
    />
  );
}
