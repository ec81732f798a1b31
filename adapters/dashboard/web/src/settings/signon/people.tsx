import { useQueryClient } from '@tanstack/react-query';
import { api } from '../../api/client';
import { useTexts } from '../../i18n/language';
import { useForm } from '../../ui/form';
import { Select } from '../../ui/forms';
import { SaveForm } from '../../ui/saveform';
import { toast } from '../../ui/toast';
import { Switch } from '../../ui/toggles';
import { Section } from '../parts';
import settings from '../settings.module.css';
import { providerQuery, type Provider } from './queries';

/** What a sign-in by a provider gives: whether people get accounts, and who asks for their second step. */
export function People({ provider }: { provider: Provider }) {
  const t = useTexts('people').arrivals;
  const client = useQueryClient();
  const path = { tenantId: provider.tenantId, providerId: provider.id };
  const { createUsers, secondFactor } = provider;
  const form = useForm({ createUsers, secondFactor }, async (_, body) => {
    await api.PATCH('/api/tenants/{tenantId}/identity-providers/{providerId}', { params: { path }, body });
    await client.invalidateQueries({ queryKey: providerQuery(provider.tenantId, provider.id).queryKey });
    toast(t.saved);
  });
  return (
    <Section title={t.title} lead={t.lead}>
      <div className={settings.narrow}>
        <SaveForm form={form} action={t.save}>
          <Switch isSelected={form.values.createUsers} onChange={(on) => form.set('createUsers', on)} hint={t.createUsersHint}>
            {t.createUsers}
          </Switch>
          <Select
            label={t.factor}
            hint={t.factorHint}
            {...form.field('secondFactor')}
            options={[
              { id: 'ours', label: t.factorOurs },
              { id: 'theirs', label: t.factorTheirs },
            ]}
          />
        </SaveForm>
      </div>
    </Section>
  );
}
