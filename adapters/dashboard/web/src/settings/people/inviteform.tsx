import { Plus, X } from 'lucide-react';
import { useState } from 'react';
import { api, type Schemas } from '../../api/client';
import { useLanguage, useTexts } from '../../i18n/language';
import { languages, type Language } from '../../texts/languages';
import { Button, IconButton } from '../../ui/button';
import { useForm } from '../../ui/form';
import { Select, TextField, type Option } from '../../ui/forms';
import { SaveForm } from '../../ui/saveform';
import { toast } from '../../ui/toast';
import { Secret } from '../tokens/secret';
import { rolesOf, type Place } from './places';
import { useRoleNames, type Role } from './roles';
import settings from '../settings.module.css';
import css from './users.module.css';

type Invitation = Schemas['Invitation'];

/** A custom role as a value of a list: its id with a prefix. */
type CustomRole = `custom${number}`;

/** A role to give, and the id of its place; null: not chosen. A custom role has the place of its department. */
type Given = { role: Role | CustomRole; place: number | null };

/** The places in which the user may give roles, and the custom roles that the user may give. */
export type Offer = { places: Record<Place['kind'], Option<number>[]>; customRoles: Option<CustomRole>[] };

export const customOption = ({ id, name }: Schemas['CustomRole'], detail?: string): Option<CustomRole> => ({ id: `custom${id}`, label: name, detail });

const kinds = ['project', 'department', 'tenant'] as const;
const kindOf = (role: Given['role']) => kinds.find((kind) => (rolesOf[kind] as readonly string[]).includes(role));
const customIdOf = (role: Given['role']) => (kindOf(role) ? undefined : Number(role.slice('custom'.length)));
const placeIds = { tenant: 'tenantId', department: 'departmentId', project: 'projectId' } as const;

/** The roles as the API takes them, without the custom ones. */
const rolesFor = (given: readonly Given[]) =>
  given.flatMap(({ role, place }) => {
    const kind = kindOf(role);
    return kind ? { role: role as Role, ...(place !== null && { [placeIds[kind]]: place }) } : [];
  });

type InviteFormProps = { offer: Offer; onClose: () => void; onChanged: () => Promise<unknown> };

/** Invites a person to roles. */
export function InviteForm({ offer: { places, customRoles }, onClose, onChanged }: InviteFormProps) {
  const t = useTexts('people').inviteform;
  const names = useRoleNames();
  const language: Language = useLanguage();
  const [made, setMade] = useState<Invitation>();
  const only = (role: Given['role']) => {
    const kind = kindOf(role);
    const [first, ...others] = kind ? places[kind] : [];
    return first && others.length === 0 ? first.id : null;
  };
  const nameOf = (role: Given['role']) => customRoles.find(({ id }) => id === role)?.label ?? names[role as Role];
  const roles = kinds.filter((kind) => places[kind].length > 0).flatMap((kind) => rolesOf[kind]);
  const given = (): Given => {
    const role = roles.includes('editor') ? 'editor' : (roles[0] ?? 'editor');
    return { role, place: only(role) };
  };
  const form = useForm({ email: '', name: '', language, roles: [given()] }, async ({ roles: chosen, ...rest }) => {
    const customRoleIds = chosen.flatMap(({ role }) => customIdOf(role) ?? []);
    const { data } = await api.POST('/api/invitations', { body: { ...rest, email: rest.email.trim(), roles: rolesFor(chosen), customRoleIds } });
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
        {form.values.roles.map((one, i) => {
          const kind = kindOf(one.role);
          const fault = form.fault(`roles[${rolesFor(form.values.roles.slice(0, i)).length}]`);
          return (
            <div className={css.given} key={i} data-custom={!kind || undefined}>
              <Select<Given['role']>
                label={t.role}
                value={one.role}
                onChange={(role) => change(i, { role, place: kindOf(role) === kind ? one.place : only(role) })}
                options={roles.map((id) => ({ id, label: names[id] }))}
                groups={customRoles.length > 0 ? [{ title: t.customRoles, options: customRoles }] : []}
              />
              {kind ? (
                <Select
                  label={t.place[kind]}
                  placeholder={t.choose}
                  value={one.place}
                  onChange={(place) => change(i, { ...one, place })}
                  options={places[kind]}
                  fault={fault && (one.place === null ? t.noPlace : t.twice)}
                />
              ) : (
                <span />
              )}
              {form.values.roles.length > 1 && (
                <IconButton label={t.removeRole(nameOf(one.role))} icon={<X aria-hidden />} onPress={() => form.set('roles', form.values.roles.filter((_, other) => other !== i))} />
              )}
            </div>
          );
        })}
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
