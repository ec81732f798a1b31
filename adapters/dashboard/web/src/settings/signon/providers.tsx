import { useQuery } from '@tanstack/react-query';
import { Link, useNavigate } from '@tanstack/react-router';
import { KeyRound, Plus } from 'lucide-react';
import { useState } from 'react';
import { api, dataOf } from '../../api/client';
import { useFormat } from '../../i18n/format';
import { useTexts } from '../../i18n/language';
import { Problem } from '../../ui/basics';
import { Button } from '../../ui/button';
import { useForm } from '../../ui/form';
import { TextField } from '../../ui/forms';
import { Dialog } from '../../ui/overlays';
import { SaveForm } from '../../ui/saveform';
import { TagsField } from '../../ui/tags';
import { Nothing, Row, Rows, Section } from '../parts';
import { providersQuery, type Provider } from './queries';
import { ProviderState } from './state';

/** The identity providers of an organisation. */
export function Providers({ tenantId }: { tenantId: number }) {
  const t = useTexts('people').providers;
  const query = useQuery(providersQuery(tenantId));
  const providers = query.data?.data;
  const [creating, setCreating] = useState(false);
  const close = () => setCreating(false);
  return (
    <Section
      title={t.title}
      lead={t.lead}
      actions={
        <Button icon={<Plus aria-hidden />} onPress={() => setCreating(true)}>
          {t.create}
        </Button>
      }
    >
      {query.error && <Problem error={query.error} retry={() => void query.refetch()} />}
      {providers?.length === 0 && (
        <Nothing title={t.none}>
          <p>{t.noneHint}</p>
        </Nothing>
      )}
      {providers && providers.length > 0 && (
        <Rows label={t.title}>
          {providers.map((provider) => (
            <ProviderRow key={provider.id} provider={provider} />
          ))}
        </Rows>
      )}
      <Dialog title={t.create} isOpen={creating} onClose={close}>
        <Create tenantId={tenantId} onClose={close} />
      </Dialog>
    </Section>
  );
}

function ProviderRow({ provider }: { provider: Provider }) {
  const t = useTexts('people').providers;
  const format = useFormat();
  return (
    <Row
      dim={provider.state === 'off'}
      icon={<KeyRound aria-hidden />}
      title={
        <>
          <Link to="/organisation/tenants/$tenantId" params={{ tenantId: provider.tenantId }} search={{ provider: provider.id }}>
            {provider.name}
          </Link>
          <ProviderState state={provider.state} />
        </>
      }
      meta={
        <>
          <span>{provider.issuer}</span>
          <span>{provider.domains.length > 0 ? format.list(provider.domains) : t.noDomain}</span>
        </>
      }
    />
  );
}

function Create({ tenantId, onClose }: { tenantId: number; onClose: () => void }) {
  const t = useTexts('people').providers;
  const fields = useTexts('people').connection;
  const navigate = useNavigate();
  const form = useForm({ name: '', issuer: '', clientId: '', clientSecret: '', domains: [] as string[] }, async (values) => {
    const body = { ...values, issuer: values.issuer.trim(), clientId: values.clientId.trim() };
    const made = await dataOf(api.POST('/api/tenants/{tenantId}/identity-providers', { params: { path: { tenantId } }, body }));
    onClose();
    await navigate({ to: '/organisation/tenants/$tenantId', params: { tenantId }, search: { provider: made.id } });
  });
  return (
    <SaveForm form={form} action={t.createAction} onCancel={onClose}>
      <TextField label={fields.name} hint={fields.nameHint} required autoComplete="off" {...form.field('name')} />
      <TextField label={fields.issuer} hint={fields.issuerHint} required type="url" autoComplete="off" spellCheck={false} {...form.field('issuer')} />
      <TextField label={fields.clientId} hint={fields.clientIdHint} required autoComplete="off" spellCheck={false} {...form.field('clientId')} />
      <TextField label={fields.secret} hint={fields.secretHint} required type="password" autoComplete="off" {...form.field('clientSecret')} />
      <TagsField label={fields.domains} hint={fields.domainsHint} {...form.field('domains')} />
    </SaveForm>
  );
}
