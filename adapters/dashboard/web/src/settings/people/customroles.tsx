import { useQuery, useQueryClient } from '@tanstack/react-query';
import { BadgeCheck, Ellipsis, Plus, UserMinus } from 'lucide-react';
import { useState } from 'react';
import { $api, api, dataOf, type Schemas } from '../../api/client';
import { asApiError, type ApiError } from '../../api/error';
import { may } from '../../api/rights';
import { useTexts } from '../../i18n/language';
import { Avatar, Problem, Skeleton } from '../../ui/basics';
import { Button, IconButton } from '../../ui/button';
import { useForm } from '../../ui/form';
import { Confirm, Dialog, Menu, MenuItem } from '../../ui/overlays';
import { toast } from '../../ui/toast';
import { SaveForm } from '../../ui/saveform';
import { Deletion } from '../deletion';
import { NameForm } from '../nameform';
import { Nothing, Row, Rows, Section } from '../parts';
import { customRolesQuery } from '../queries';
import { Stranded } from './stranded';
import { UserPicker } from './userpicker';
import { InUse } from '../uses';

type CustomRole = Schemas['CustomRole'];
type Open = { what: 'create' } | { what: 'rename' | 'remove' | 'holders'; role: CustomRole };

const holdersQuery = (departmentId: number, customRoleId: number) =>
  $api.queryOptions('get', '/api/departments/{departmentId}/custom-roles/{customRoleId}/holders', { params: { path: { departmentId, customRoleId } } });

/** The custom roles of a Department, with their holders. */
export function CustomRoles({ department }: { department: Schemas['Department'] }) {
  const t = useTexts('people').customroles;
  const client = useQueryClient();
  const query = useQuery(customRolesQuery(department.id));
  const [open, setOpen] = useState<Open>();
  const manages = may(department, 'custom_role.manage');
  const path = { departmentId: department.id };
  const refresh = () => client.invalidateQueries({ queryKey: customRolesQuery(department.id).queryKey });
  const close = () => setOpen(undefined);
  return (
    <Section
      title={t.title}
      lead={t.lead}
      actions={
        manages && (
          <Button icon={<Plus aria-hidden />} onPress={() => setOpen({ what: 'create' })}>
            {t.create}
          </Button>
        )
      }
    >
      {query.error && <Problem error={query.error} retry={() => void query.refetch()} />}
      {!query.data && !query.error && <Skeleton />}
      {query.data?.data.length === 0 && (
        <Nothing title={t.none}>
          <p>{t.noneHint}</p>
        </Nothing>
      )}
      {query.data && query.data.data.length > 0 && (
        <Rows label={t.title}>
          {query.data.data.map((role) => (
            <RoleRow key={role.id} role={role} manages={manages} onOpen={setOpen} />
          ))}
        </Rows>
      )}
      <Dialog title={t.create} isOpen={open?.what === 'create'} onClose={close}>
        <NameForm
          action={t.create}
          hint={t.nameHint}
          onCancel={close}
          onSaved={close}
          onSave={async (name) => {
            await api.POST('/api/departments/{departmentId}/custom-roles', { params: { path }, body: { name } });
            await refresh();
          }}
        />
      </Dialog>
      <Dialog title={t.rename} isOpen={open?.what === 'rename'} onClose={close}>
        {open?.what === 'rename' && (
          <NameForm
            name={open.role.name}
            onCancel={close}
            onSaved={close}
            onSave={async (name) => {
              await api.PATCH('/api/departments/{departmentId}/custom-roles/{customRoleId}', { params: { path: { ...path, customRoleId: open.role.id } }, body: { name } });
              await refresh();
            }}
          />
        )}
      </Dialog>
      <Dialog title={open?.what === 'holders' ? t.holdersOf(open.role.name) : ''} isOpen={open?.what === 'holders'} onClose={close}>
        {open?.what === 'holders' && <Holders role={open.role} manages={manages} onClose={close} />}
      </Dialog>
      <Deletion
        title={open?.what === 'remove' ? t.removeTitle(open.role.name) : ''}
        isOpen={open?.what === 'remove'}
        onClose={close}
        problem={(error) => <InUse error={error} />}
        onDelete={async () => {
          if (open?.what !== 'remove') return;
          await api.DELETE('/api/departments/{departmentId}/custom-roles/{customRoleId}', { params: { path: { ...path, customRoleId: open.role.id } } });
          await refresh();
          toast(t.removed(open.role.name));
        }}
      >
        <p>{t.removeText}</p>
      </Deletion>
    </Section>
  );
}

function RoleRow({ role, manages, onOpen }: { role: CustomRole; manages: boolean; onOpen: (open: Open) => void }) {
  const t = useTexts('people').customroles;
  const holders = useQuery(holdersQuery(role.departmentId, role.id)).data?.data;
  return (
    <Row
      icon={<BadgeCheck aria-hidden />}
      title={role.name}
      meta={holders && (holders.length > 0 ? holders.map((holder) => <span key={holder.id}>{holder.name}</span>) : t.noHolders)}
      actions={
        <>
          <Button kind="quiet" onPress={() => onOpen({ what: 'holders', role })}>
            {manages ? t.giveOrTake : t.show}
          </Button>
          {manages && (
            <Menu label={t.actions(role.name)} trigger={<IconButton label={t.actions(role.name)} icon={<Ellipsis aria-hidden />} />}>
              <MenuItem onAction={() => onOpen({ what: 'rename', role })}>{t.rename}</MenuItem>
              <MenuItem danger onAction={() => onOpen({ what: 'remove', role })}>
                {t.remove}
              </MenuItem>
            </Menu>
          )}
        </>
      }
    />
  );
}

function Holders({ role, manages, onClose }: { role: CustomRole; manages: boolean; onClose: () => void }) {
  const t = useTexts('people').customroles;
  const client = useQueryClient();
  const query = useQuery(holdersQuery(role.departmentId, role.id));
  const [error, setError] = useState<ApiError>();
  const [picks, setPicks] = useState(0); // counts assignments; used as a key to clear the field after each
  const path = { departmentId: role.departmentId, customRoleId: role.id };
  const refresh = () => client.invalidateQueries({ queryKey: holdersQuery(role.departmentId, role.id).queryKey });
  const form = useForm({ userId: 0 }, async ({ userId }) => {
    await api.PUT('/api/departments/{departmentId}/custom-roles/{customRoleId}/holders/{userId}', { params: { path: { ...path, userId } } });
    await refresh();
  });
  const [asked, setAsked] = useState<{ holder: Schemas['Holder']; removal: Schemas['Removal'] }>();
  /** Takes the role from a holder. It asks first if no user could decide some requests without the holder. */
  const take = async (holder: Schemas['Holder'], sure = false) => {
    setError(undefined);
    setAsked(undefined);
    const { id: userId } = holder;
    try {
      if (!sure) {
        const removal = await dataOf(api.GET('/api/departments/{departmentId}/custom-roles/{customRoleId}/holders/{userId}/removal', { params: { path: { ...path, userId } } }));
        if (removal.unreachable.count > 0) return setAsked({ holder, removal });
      }
      await api.DELETE('/api/departments/{departmentId}/custom-roles/{customRoleId}/holders/{userId}', { params: { path: { ...path, userId } } });
    } catch (caught) {
      setError(asApiError(caught));
    }
    await refresh();
  };
  const holders = query.data?.data ?? [];
  return (
    <>
      {query.error && <Problem error={query.error} />}
      {error && <Problem error={error} />}
      <Confirm
        title={asked ? t.takeTitle(role.name, asked.holder.name) : ''}
        isOpen={asked !== undefined}
        onClose={() => setAsked(undefined)}
        onConfirm={() => asked && void take(asked.holder, true)}
        action={t.takeIt}
        danger
      >
        <Stranded removal={asked?.removal} />
      </Confirm>
      {query.data && holders.length === 0 && <p>{t.noHolders}</p>}
      {holders.length > 0 && (
        <Rows label={t.holdersOf(role.name)}>
          {holders.map((holder) => (
            <Row
              key={holder.id}
              icon={<Avatar name={holder.name} />}
              title={holder.name}
              meta={holder.email}
              actions={manages && <IconButton label={t.take(holder.name)} icon={<UserMinus aria-hidden />} onPress={() => void take(holder)} />}
            />
          ))}
        </Rows>
      )}
      {manages && (
        <SaveForm
          form={form}
          action={t.give}
          onCancel={onClose}
          onSaved={() => {
            form.reset({ userId: 0 });
            setPicks(picks + 1);
          }}
        >
          <UserPicker
            key={picks}
            place={{ kind: 'department', id: role.departmentId }}
            label={t.user}
            without={holders.map((h) => h.id)}
            onPick={(user) => form.set('userId', user?.userId ?? 0)}
          />
        </SaveForm>
      )}
      {!manages && (
        <footer>
          <Button onPress={onClose}>{t.close}</Button>
        </footer>
      )}
    </>
  );
}
