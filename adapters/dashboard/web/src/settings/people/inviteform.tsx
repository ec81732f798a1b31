import { useQueries } from '@tanstack/react-query';
import { Plus, X } from 'lucide-react';
import { useState } from 'react';
import { api, type Schemas } from '../../api/client';
import { useProjects } from '../../api/queries';
import { may } from '../../api/rights';
import { useLanguage, useTexts } from '../../i18n/language';
import { languages, type Language } from '../../texts/languages';
import { Button, IconButton } from '../../ui/button';
import { useForm } from '../../ui/form';
import { Select, TextField, type Option } from '../../ui/forms';
import { SaveForm } from '../../ui/saveform';
import { toast } from '../../ui/toast';
import { departmentsQuery } from '../queries';
import { Secret } from '../tokens/secret';
import { rolesOf, type Place } from './places';
import { useRoleNames, type Role } from './roles';
import settings from '../settings.module.css';
import css from './users.module.css';

type Invitation = Schemas['Invitation'];

/** A role to give, and the id of its place; null: not chosen. */
type Given = { role: Role; place: number | null };

const kinds = ['project', 'department', 'tenant'] as const;
const kindOf = (role: Role) => kinds.find((kind) => rolesOf[kind].includes(role))!;
const placeIds = { tenant: 'tenantId', department: 'departmentId', project: 'projectId' } as const;

/** The places in which the user may give roles. */
function usePlaces(tenants: Schemas['Tenant'][]): Record<Place['kind'], Option<number>[]> {
  const projects = useProjects();
  const departments = useQueries({ queries: tenants.map(({ id }) => departmentsQuery(id)) }).flatMap((query) => query.data?.data ?? []);
  const option = ({ id, name, tenantId }: { id: number; name: string; tenantId: number }) => ({
    id,
    label: name,
    detail: tenants.length > 1 ? tenants.find((tenant) => tenant.id === tenantId)?.name : undefined,
  });
  return {
    tenant: tenants.filter((tenant) => may(tenant, 'tenant.members.manage')).map(({ id, name }) => ({ id, label: name })),
    department: departments.filter((department) => may(department, 'department.members.manage')).map(option),
    project: projects.filter((project) => may(project, 'project.members.manage')).map(option),
  };
}

type InviteFormProps = { tenants: Schemas['Tenant'][]; onClose: () => void; onChanged: () => Promise<unknown> };

/** Invites a person to roles in places of the organisations. */
export function InviteForm({ tenants, onClose, onChanged }: InviteFormProps) {
  const t = useTexts('people').inviteform;
  const names = useRoleNames();
  const language: Language = useLanguage();
  const places = usePlaces(tenants);
  const [made, setMade] = useState<Invitation>();
  const only = (role: Role) => {
    const [first, ...others] = places[kindOf(role)];
    return first && others.length === 0 ? first.id : null;
  };
  const roles = kinds.filter((kind) => places[kind].length > 0).flatMap((kind) => rolesOf[kind]);
  const given = (): Given => {
    const role = roles.includes('editor') ? 'editor' : 'tenant_admin';
    return { role, place: only(role) };
  };
  const form = useForm({ email: '', name: '', language, roles: [given()] }, async ({ roles, ...rest }) => {
    const { data } = await api.POST('/api/invitations', {
      body: { ...rest, email: rest.email.trim(), roles: roles.map(({ role, place }) => ({ role, ...(place !== null && { [placeIds[kindOf(role)]]: place }) })) },
    });
    await onChanged();
    if (data?.url) return setMade(data);
    toast(t.sent(data?.email ?? rest.email));
    onClose();
  });
  const change = (at: number, next: Given) => form.set('roles', form.values.roles.map((one, i) => (i === at ? next : one)));

  if (made) return <InvitationLink invitation={made} onClose={onClose} />;
  return (
    <SaveForm form={form} action={t.send} onCancel={onClose}>
      <TextField label={t.email} type="email" required autoComplete="off" {...form.field('email')} />
      <div className={settings.pair}>
        <TextField label={t.name} hint={t.nameHint} autoComplete="off" maxLength={200} {...form.field('name')} />
        <Select label={t.language} hint={t.languageHint} {...form.field('language')} options={Object.entries(languages).map(([id, { name }]) => ({ id: id as Language, label: name }))} />
      </div>
      <fieldset className={settings.group}>
        <legend>{t.roles}</legend>
        {form.values.roles.map((one, i) => (
          <div className={css.given} key={i}>
            <Select label={t.role} value={one.role} onChange={(role) => change(i, { role, place: kindOf(role) === kindOf(one.role) ? one.place : only(role) })} options={roles.map((id) => ({ id, label: names[id] }))} />
            <Select
              label={t.place[kindOf(one.role)]}
              placeholder={t.choose}
              value={one.place}
              onChange={(place) => change(i, { ...one, place })}
              options={places[kindOf(one.role)]}
              fault={form.fault(`roles[${i}]`) && (one.place === null ? t.noPlace : t.twice)}
            />
            {form.values.roles.length > 1 && (
              <IconButton label={t.removeRole(names[one.role])} icon={<X aria-hidden />} onPress={() => form.set('roles', form.values.roles.filter((_, other) => other !== i))} />
            )}
          </div>
        ))}
        <div>
          <Button kind="quiet" icon={<Plus aria-hidden />} onPress={() => form.set('roles', [...form.values.roles, given()])}>
            {t.addRole}
          </Button>
        </div>
      </fieldset>
    </SaveForm>
  );
}

/** Shows the link of an invitation that is not sent by mail. */
export function InvitationLink({ invitation, onClose }: { invitation: Invitation; onClose: () => void }) {
  const t = useTexts('people').inviteform;
  return (
    <>
      <p>{t.noMail(invitation.email)}</p>
      <Secret label={t.link} value={invitation.url ?? ''} />
      <footer>
        <Button kind="primary" onPress={onClose}>
          {t.done}
        </Button>
      </footer>
    </>
  );
}
