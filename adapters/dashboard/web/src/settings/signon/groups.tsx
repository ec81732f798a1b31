import { useQueryClient } from '@tanstack/react-query';
import { Plus, X } from 'lucide-react';
import { api, type Schemas } from '../../api/client';
import { useTexts } from '../../i18n/language';
import { Button, IconButton } from '../../ui/button';
import { useForm, type Form } from '../../ui/form';
import { Fault, Select, TextField } from '../../ui/forms';
import { SaveForm } from '../../ui/saveform';
import { toast } from '../../ui/toast';
import ui from '../../ui/ui.module.css';
import { Section } from '../parts';
import { useOfferInTenants } from '../people/offers';
import { rolesOf } from '../people/places';
import { useRoleNames } from '../people/roles';
import settings from '../settings.module.css';
import styles from './groups.module.css';
import { blank, kindOf, mappingsOf, onlyPlace, rowsOf, type MappingRow, type Values } from './mappings';
import { providerQuery, type Provider } from './queries';

/** Which roles the groups of a provider give. */
export function Groups({ provider, tenant }: { provider: Provider; tenant: Schemas['Tenant'] }) {
  const t = useTexts('people').groups;
  const client = useQueryClient();
  const path = { tenantId: provider.tenantId, providerId: provider.id };
  const form = useForm<Values>({ groupsClaim: provider.groupsClaim ?? '', mappings: rowsOf(provider.mappings) }, async ({ groupsClaim, mappings }, changed) => {
    const body = { ...(changed.groupsClaim !== undefined && { groupsClaim: groupsClaim.trim() || null }), ...(changed.mappings && { mappings: mappingsOf(mappings) }) };
    await api.PATCH('/api/tenants/{tenantId}/identity-providers/{providerId}', { params: { path }, body });
    await client.invalidateQueries({ queryKey: providerQuery(provider.tenantId, provider.id).queryKey });
    toast(t.saved);
  });
  return (
    <Section title={t.title} lead={t.lead}>
      <SaveForm form={form} action={t.save}>
        <TextField label={t.groupsClaim} hint={t.groupsClaimHint} autoComplete="off" spellCheck={false} {...form.field('groupsClaim')} />
        <Mappings form={form} tenant={tenant} />
      </SaveForm>
    </Section>
  );
}

/** The roles of groups. */
function Mappings({ form, tenant }: { form: Form<Values>; tenant: Schemas['Tenant'] }) {
  const t = useTexts('people').groups;
  const rows = form.values.mappings;
  const set = (next: MappingRow[]) => form.set('mappings', next);
  return (
    <fieldset className={settings.group}>
      <legend>{t.mappings}</legend>
      <p className={ui.hint}>{t.mappingsHint}</p>
      <ul className={styles.mappings}>
        {rows.map((row, i) => (
          <Mapping
            key={i}
            row={row}
            tenant={tenant}
            fault={form.fault(`mappings[${i}]`)}
            onChange={(next) => set(rows.with(i, next))}
            onRemove={() => set(rows.toSpliced(i, 1))}
          />
        ))}
      </ul>
      <div>
        <Button kind="quiet" icon={<Plus aria-hidden />} onPress={() => set([...rows, blank])}>
          {t.addMapping}
        </Button>
      </div>
    </fieldset>
  );
}

type MappingProps = { row: MappingRow; tenant: Schemas['Tenant']; fault: string | undefined; onChange: (row: MappingRow) => void; onRemove: () => void };

function Mapping({ row, tenant, fault, onChange, onRemove }: MappingProps) {
  const t = useTexts('people').groups;
  const names = useRoleNames();
  const { places, customRoles } = useOfferInTenants([tenant]);
  const kind = kindOf(row.choice);
  const roles = (['project', 'department', 'tenant'] as const).flatMap((one) => (places[one].length > 0 ? rolesOf[one] : []));
  return (
    <li>
      <TextField label={t.group} required autoComplete="off" spellCheck={false} aria-invalid={fault ? true : undefined} value={row.group} onChange={(group) => onChange({ ...row, group })} />
      <Select<MappingRow['choice']>
        label={t.role}
        value={row.choice}
        onChange={(choice) => onChange({ ...row, choice, place: kindOf(choice) === kind ? row.place : onlyPlace(places, choice) })}
        options={roles.map((id) => ({ id, label: names[id] }))}
        groups={customRoles.length > 0 ? [{ title: t.customRoles, options: customRoles }] : []}
      />
      {kind ? <Select label={t.place[kind]} placeholder={t.choose} value={row.place} onChange={(place) => onChange({ ...row, place })} options={places[kind]} /> : <span />}
      <IconButton label={t.removeMapping(row.group)} icon={<X aria-hidden />} onPress={onRemove} />
      {fault && (
        <div className={styles.fault} role="alert">
          <Fault>{fault}</Fault>
        </div>
      )}
    </li>
  );
}
