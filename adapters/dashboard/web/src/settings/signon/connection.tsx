import { useQueryClient } from '@tanstack/react-query';
import { api } from '../../api/client';
import { useTexts } from '../../i18n/language';
import { useForm } from '../../ui/form';
import { TextField } from '../../ui/forms';
import { SaveForm } from '../../ui/saveform';
import { TagsField } from '../../ui/tags';
import { toast } from '../../ui/toast';
import settings from '../settings.module.css';
import { providerQuery, type Provider } from './queries';

/** The client of this installation at a provider. */
export function Connection({ provider }: { provider: Provider }) {
  const t = useTexts('people').connection;
  const client = useQueryClient();
  const path = { tenantId: provider.tenantId, providerId: provider.id };
  const { name, issuer, clientId, scopes } = provider;
  const form = useForm({ name, issuer, clientId, clientSecret: '', scopes }, async (_, { clientSecret, ...changed }) => {
    await api.PATCH('/api/tenants/{tenantId}/identity-providers/{providerId}', { params: { path }, body: { ...changed, ...(clientSecret && { clientSecret }) } });
    await client.invalidateQueries({ queryKey: providerQuery(provider.tenantId, provider.id).queryKey });
    toast(t.saved);
  });
  return (
    <div className={settings.narrow}>
      <SaveForm form={form} action={t.save} onSaved={() => form.reset({ ...form.values, clientSecret: '' })}>
        <TextField label={t.name} hint={t.nameHint} required autoComplete="off" {...form.field('name')} />
        {provider.state === 'draft' ? (
          <TextField label={t.issuer} hint={t.issuerHint} required type="url" autoComplete="off" spellCheck={false} {...form.field('issuer')} />
        ) : (
          <TextField label={t.issuer} hint={t.issuerFixed} readOnly {...form.field('issuer')} />
        )}
        <TextField label={t.clientId} hint={t.clientIdHint} required autoComplete="off" spellCheck={false} {...form.field('clientId')} />
        <TextField label={t.newSecret} hint={t.newSecretHint} type="password" autoComplete="off" {...form.field('clientSecret')} />
        <TagsField label={t.scopes} hint={t.scopesHint} {...form.field('scopes')} />
      </SaveForm>
    </div>
  );
}
