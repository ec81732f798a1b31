import { useQueryClient } from '@tanstack/react-query';
import { $api, api } from '../../api/client';
import { useTexts } from '../../i18n/language';
import { useForm } from '../../ui/form';
import { Fault, Select } from '../../ui/forms';
import { SaveForm } from '../../ui/saveform';
import { toast } from '../../ui/toast';
import { Switch } from '../../ui/toggles';
import { Section } from '../parts';
import { UserPicker } from '../people/userpicker';
import settings from '../settings.module.css';
import { providerQuery, type Provider } from './queries';

/** What a sign-in by a provider gives: whether people get accounts, who asks for their second step, and whether passwords still sign in. */
export function People({ provider }: { provider: Provider }) {
  const t = useTexts('people').arrivals;
  const client = useQueryClient();
  const path = { tenantId: provider.tenantId, providerId: provider.id };
  const { createUsers, secondFactor, passwords, passwordUserId } = provider;
  const form = useForm({ createUsers, secondFactor, passwords, passwordUserId }, async (_, body) => {
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
          <Select
            label={t.passwords}
            hint={t.passwordsHint}
            {...form.field('passwords')}
            options={[
              { id: 'allowed', label: t.passwordsAllowed },
              { id: 'forbidden', label: t.passwordsForbidden },
            ]}
          />
          {form.values.passwords === 'forbidden' && (
            <Kept tenantId={provider.tenantId} userId={form.values.passwordUserId} fault={form.fault('passwordUserId')} onPick={(userId) => form.set('passwordUserId', userId)} />
          )}
        </SaveForm>
      </div>
    </Section>
  );
}

type KeptProps = { tenantId: number; userId: number | null; fault: string | undefined; onPick: (userId: number) => void };

/** The account that keeps its password, as a way in when the provider is away. */
function Kept({ tenantId, userId, fault, onPick }: KeptProps) {
  const t = useTexts('people').arrivals;
  const { data } = $api.useQuery('get', '/api/users/{userId}', { params: { path: { userId: userId ?? 0 } } }, { enabled: userId !== null });
  return (
    <>
      <UserPicker
        place={{ kind: 'tenant', id: tenantId }}
        label={t.kept}
        hint={userId !== null && data ? t.keptIs(data.name) : t.keptHint}
        onPick={(user) => {
          if (user) onPick(user.userId);
        }}
      />
      {fault && (
        <div role="alert">
          <Fault>{fault}</Fault>
        </div>
      )}
    </>
  );
}
