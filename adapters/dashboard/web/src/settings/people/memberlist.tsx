import { useQuery, useQueryClient } from '@tanstack/react-query';
import { Plus, UserMinus } from 'lucide-react';
import { useState, type ReactNode } from 'react';
import type { Schemas } from '../../api/client';
import { asApiError, type ApiError } from '../../api/error';
import { useSession } from '../../api/queries';
import { useTexts } from '../../i18n/language';
import { Avatar, Chip, Problem, Skeleton } from '../../ui/basics';
import { Button, IconButton } from '../../ui/button';
import { useForm } from '../../ui/form';
import { Select } from '../../ui/forms';
import { Confirm, Dialog } from '../../ui/overlays';
import { toast } from '../../ui/toast';
import { SaveForm } from '../../ui/saveform';
import { Deletion } from '../deletion';
import { Nothing, Row, Rows, Section } from '../parts';
import { Invite, OpenInvitations } from './invite';
import { membersQuery, removalQuery, removeRole, rolesOf, setRole, type Place } from './places';
import { useRoleNames, type Role } from './roles';
import styles from '../settings.module.css';
import { Stranded } from './stranded';
import { UserPicker } from './userpicker';

type Member = Schemas['Member'];

type MemberListProps = { place: Place; title: string; lead?: ReactNode; manages: boolean };

/** The users with a role in a place, with the actions for admins. */
export function MemberList({ place, title, lead, manages }: MemberListProps) {
  const t = useTexts('people').memberlist;
  const client = useQueryClient();
  const query = useQuery(membersQuery(place));
  const [adding, setAdding] = useState(false);
  const [removed, setRemoved] = useState<Member>();
  const removal = useQuery({ ...removalQuery(place, removed?.userId ?? 0), enabled: removed !== undefined });
  const refresh = () => client.invalidateQueries({ queryKey: membersQuery(place).queryKey });
  const members = query.data?.data;
  return (
    <Section
      title={title}
      lead={lead}
      actions={
        manages && (
          <>
            <Button icon={<Plus aria-hidden />} onPress={() => setAdding(true)}>
              {t.add}
            </Button>
            {place.kind !== 'tenant' && <Invite place={place} />}
          </>
        )
      }
    >
      {query.error && <Problem error={query.error} retry={() => void query.refetch()} />}
      {!members && !query.error && <Skeleton />}
      {members?.length === 0 && (
        <Nothing title={t.none}>
          <p>{t.noneHint}</p>
        </Nothing>
      )}
      {members && members.length > 0 && (
        <Rows label={title}>
          {members.map((member) => (
            <MemberRow key={member.userId} place={place} member={member} manages={manages} onRemove={() => setRemoved(member)} onChanged={refresh} />
          ))}
        </Rows>
      )}
      {manages && place.kind !== 'tenant' && <OpenInvitations place={place} />}
      <Dialog title={t.add} isOpen={adding} onClose={() => setAdding(false)}>
        <Add place={place} members={members ?? []} onSaved={refresh} onClose={() => setAdding(false)} />
      </Dialog>
      <Deletion
        title={removed ? t.removeTitle(removed.name) : ''}
        isOpen={removed !== undefined}
        onClose={() => setRemoved(undefined)}
        action={t.removeIt}
        isDisabled={removal.isFetching}
        onDelete={async () => {
          if (!removed) return;
          await removeRole(place, removed.userId);
          await refresh();
          toast(t.removed(removed.name));
        }}
      >
        <p>{t.removeText}</p>
        {removal.error && <Problem error={removal.error} retry={() => void removal.refetch()} />}
        <Stranded removal={removal.data} />
      </Deletion>
    </Section>
  );
}

function MemberRow({ place, member, manages, onRemove, onChanged }: { place: Place; member: Member; manages: boolean; onRemove: () => void; onChanged: () => Promise<unknown> }) {
  const t = useTexts('people').memberlist;
  const names = useRoleNames();
  const session = useSession();
  const [error, setError] = useState<ApiError>();
  const roles = rolesOf[place.kind];
  const client = useQueryClient();
  const [asked, setAsked] = useState<{ role: Role; removal: Schemas['Removal'] }>();
  const change = async (role: Role, sure = false) => {
    setError(undefined);
    setAsked(undefined);
    try {
      if (!sure && member.role === 'admin') {
        const removal = await client.fetchQuery(removalQuery(place, member.userId));
        if (removal.unreachable.count > 0) return setAsked({ role, removal });
      }
      await setRole(place, member.userId, role);
      toast(t.changed(member.name, names[role]));
    } catch (caught) {
      setError(asApiError(caught));
    }
    await onChanged();
  };
  return (
    <Row
      icon={<Avatar name={member.name} />}
      title={
        <>
          {member.name}
          {member.userId === session.id && <Chip plain>{t.you}</Chip>}
          {member.source === 'group' && <Chip plain>{t.byGroup}</Chip>}
        </>
      }
      meta={
        <>
          <span>{member.email}</span>
          {error && <Problem error={error} />}
          <Confirm title={t.changeTitle(member.name)} isOpen={asked !== undefined} onClose={() => setAsked(undefined)} onConfirm={() => asked && void change(asked.role, true)} action={t.changeIt} danger>
            <Stranded removal={asked?.removal} />
          </Confirm>
        </>
      }
      aside={!manages || roles.length === 1 ? names[member.role] : undefined}
      actions={
        manages && (
          <>
            {roles.length > 1 && (
              <div className={styles.role}>
                <Select label={t.roleOf(member.name)} hideLabel value={member.role} onChange={(role) => void change(role)} options={roles.map((id) => ({ id, label: names[id] }))} />
              </div>
            )}
            <IconButton label={t.remove(member.name)} icon={<UserMinus aria-hidden />} onPress={onRemove} />
          </>
        )
      }
    />
  );
}

function Add({ place, members, onSaved, onClose }: { place: Place; members: Member[]; onSaved: () => Promise<unknown>; onClose: () => void }) {
  const t = useTexts('people').memberlist;
  const names = useRoleNames();
  const roles = rolesOf[place.kind];
  const [user, setUser] = useState<Schemas['Candidate']>();
  const form = useForm({ userId: 0, role: (roles[1] ?? roles[0]!) as Role }, async ({ userId, role }) => {
    await setRole(place, userId, role);
    await onSaved();
    toast(t.added(user?.name ?? ''));
  });
  return (
    <SaveForm form={form} action={t.add} onCancel={onClose} onSaved={onClose}>
      <UserPicker
        place={place}
        label={t.user}
        hint={t.userHint}
        without={members.map((m) => m.userId)}
        onPick={(picked) => {
          setUser(picked);
          form.set('userId', picked?.userId ?? 0);
        }}
      />
      {roles.length > 1 && <Select label={t.role} {...form.field('role')} options={roles.map((id) => ({ id, label: names[id], detail: t.about[id as 'viewer' | 'editor' | 'admin'] }))} />}
    </SaveForm>
  );
}

/** The users with a role in a parent place, read-only. */
export function FromAbove({ place, where }: { place: Place; where: ReactNode }) {
  const names = useRoleNames();
  const query = useQuery(membersQuery(place));
  return query.data?.data.map((member) => (
    <Row
      key={`${place.kind}${member.userId}`}
      icon={<Avatar name={member.name} />}
      title={member.name}
      meta={<span>{member.email}</span>}
      aside={
        <>
          {names[member.role]}
          <div>{where}</div>
        </>
      }
    />
  ));
}
