import { keepPreviousData, useQuery, useQueryClient } from '@tanstack/react-query';
import { getRouteApi, Link } from '@tanstack/react-router';
import { Ellipsis, Mail, Plus } from 'lucide-react';
import { lazy, Suspense, useEffect, useState } from 'react';
import { $api, api, type Schemas } from '../../api/client';
import { asApiError, type ApiError } from '../../api/error';
import { useSession } from '../../api/queries';
import { may } from '../../api/rights';
import { useTexts } from '../../i18n/language';
import { Page, PageHead } from '../../shell/page';
import { Avatar, Chip, Empty, Problem, Skeleton, Time } from '../../ui/basics';
import { Button, ButtonLink, IconButton } from '../../ui/button';
import { useForm } from '../../ui/form';
import { Checkbox, Select, TextField } from '../../ui/forms';
import { Confirm, Dialog, Menu, MenuItem } from '../../ui/overlays';
import { toast } from '../../ui/toast';
import { SaveForm } from '../../ui/saveform';
import { Deactivation } from './deactivation';
import { Invitations, invitationsKey } from './invitations';
import { InviteForm } from './inviteform';
import { useOfferInTenants } from './offers';
import { useRoleNames } from './roles';
import { Row, Rows } from '../parts';
import { tenantsQuery } from '../queries';
import css from './users.module.css';

const UserLinks = lazy(() => import('./userlinks').then((m) => ({ default: m.UserLinks })));

type User = Schemas['Account'];
type Open = { what: 'create' | 'invite' } | { what: 'change' | 'password' | 'factors' | 'links' | 'deactivate'; user: User };

const route = getRouteApi('/app/organisation/users');
const perPage = 25;
const everyTenant = 0;

/** The user accounts of one organisation or of all organisations. */
export function UsersPage() {
  const t = useTexts('people').users;
  const session = useSession();
  const tenants = useQuery(tenantsQuery).data?.data;
  const { tenant } = route.useSearch();
  const managed = tenants?.filter((other) => may(other, 'user.list'));
  const seesAll = may(session, 'user.list');
  const tenantId = tenant ?? (seesAll ? everyTenant : managed?.[0]?.id);
  const above = [
    <Link key="organisation" activeOptions={{ exact: true }} to="/organisation">
      {t.organisation}
    </Link>,
  ];
  return (
    <Page title={t.title} above={above}>
      {!tenants ? (
        <Skeleton />
      ) : tenantId === undefined ? (
        <>
          <PageHead title={t.title} />
          <Empty title={t.notYours}>
            <p>{t.askAdmin}</p>
          </Empty>
        </>
      ) : (
        <Accounts tenantId={tenantId} tenants={managed ?? []} seesAll={seesAll} />
      )}
    </Page>
  );
}

function Accounts({ tenantId, tenants, seesAll }: { tenantId: number; tenants: Schemas['Tenant'][]; seesAll: boolean }) {
  const t = useTexts('people').users;
  const client = useQueryClient();
  const navigate = route.useNavigate();
  const { search, page = 1 } = route.useSearch();
  const [text, setText] = useState(search ?? '');
  const [open, setOpen] = useState<Open>();
  const query = $api.useQuery(
    'get',
    '/api/users',
    { params: { query: { tenantId: tenantId || undefined, search, offset: (page - 1) * perPage, limit: perPage } } },
    { placeholderData: keepPreviousData },
  );
  const refresh = () => client.invalidateQueries({ queryKey: ['get', '/api/users'] });

  // Update the URL when the user pauses typing.
  useEffect(() => {
    const timer = setTimeout(() => {
      if (text.trim() !== (search ?? '')) void navigate({ search: (now) => ({ ...now, search: text.trim() || undefined, page: undefined }), replace: true });
    }, 250);
    return () => clearTimeout(timer);
  }, [text, search, navigate]);

  const users = query.data?.data;
  return (
    <>
      <PageHead title={t.title} lead={t.lead}>
        <Button icon={<Plus aria-hidden />} onPress={() => setOpen({ what: 'create' })}>
          {t.create}
        </Button>
        <Button kind="primary" icon={<Mail aria-hidden />} onPress={() => setOpen({ what: 'invite' })}>
          {t.invite}
        </Button>
      </PageHead>
      <div className={css.filters}>
        <TextField label={t.search} type="search" value={text} onChange={setText} placeholder={t.searchHint} autoComplete="off" />
        {tenants.length + Number(seesAll) > 1 && (
          <Select
            label={t.organisation}
            value={tenantId}
            onChange={(id) => void navigate({ search: (now) => ({ ...now, tenant: id === everyTenant ? undefined : id, page: undefined }) })}
            options={[...(seesAll ? [{ id: everyTenant, label: t.all }] : []), ...tenants.map((tenant) => ({ id: tenant.id, label: tenant.name }))]}
          />
        )}
      </div>
      {query.error && <Problem error={query.error} retry={() => void query.refetch()} />}
      {!users && !query.error && <Skeleton />}
      {users?.length === 0 && (
        <Empty title={search ? t.noneFound : t.none}>
          <p>{search ? t.noneFoundHint : t.noneHint}</p>
        </Empty>
      )}
      {users && users.length > 0 && (
        <Rows label={t.title}>
          {users.map((user) => (
            <UserRow key={user.id} user={user} tenant={tenantId === everyTenant ? tenants.find((other) => other.id === user.tenantId)?.name : undefined} onOpen={setOpen} onChanged={refresh} />
          ))}
        </Rows>
      )}
      {(page > 1 || query.data?.meta.hasMore) && (
        <nav className={css.pages} aria-label={t.pages}>
          {page > 1 && (
            <ButtonLink to="/organisation/users" search={(now) => ({ ...now, page: page === 2 ? undefined : page - 1 })}>
              {t.previous}
            </ButtonLink>
          )}
          <span>{t.page(page)}</span>
          {query.data?.meta.hasMore && (
            <ButtonLink to="/organisation/users" search={(now) => ({ ...now, page: page + 1 })}>
              {t.next}
            </ButtonLink>
          )}
        </nav>
      )}
      <Invitations />
      <Opened open={open} tenantId={tenantId} tenants={tenants} onClose={() => setOpen(undefined)} onChanged={refresh} />
    </>
  );
}

type RowProps = { user: User; tenant: string | undefined; onOpen: (open: Open) => void; onChanged: () => Promise<unknown> };

function UserRow({ user, tenant, onOpen, onChanged }: RowProps) {
  const t = useTexts('people').users;
  const session = useSession();
  const [error, setError] = useState<ApiError>();
  const activate = async () => {
    setError(undefined);
    try {
      await api.PATCH('/api/users/{userId}', { params: { path: { userId: user.id } }, body: { active: true } });
      toast(t.activated(user.name));
    } catch (caught) {
      setError(asApiError(caught));
    }
    await onChanged();
  };
  return (
    <Row
      dim={!user.active}
      icon={<Avatar name={user.name} />}
      title={
        <>
          {user.name}
          {user.superAdmin && <Chip tone="accent">{t.superAdmin}</Chip>}
          {!user.active && <Chip>{t.inactive}</Chip>}
          {user.id === session.id && <Chip plain>{t.you}</Chip>}
        </>
      }
      meta={
        <>
          <span>{user.email}</span>
          <Roles of={user} />
          {error && <Problem error={error} />}
        </>
      }
      aside={
        <div className={css.aside}>
          {tenant && <span>{tenant}</span>}
          <span>
            {user.lastSignInAt ? (
              <>
                {t.signedIn} <Time value={user.lastSignInAt} />
              </>
            ) : (
              t.neverSignedIn
            )}
          </span>
          <span>{user.factors.length > 0 ? t.factors(user.factors) : t.noFactors}</span>
        </div>
      }
      actions={
        <Menu label={t.actions(user.name)} trigger={<IconButton label={t.actions(user.name)} icon={<Ellipsis aria-hidden />} />}>
          <MenuItem onAction={() => onOpen({ what: 'change', user })}>{t.change}</MenuItem>
          {user.id !== session.id && <MenuItem onAction={() => onOpen({ what: 'password', user })}>{t.setPassword}</MenuItem>}
          <MenuItem onAction={() => onOpen({ what: 'links', user })}>{t.links}</MenuItem>
          {user.id !== session.id && user.factors.length > 0 && <MenuItem onAction={() => onOpen({ what: 'factors', user })}>{t.removeFactors}</MenuItem>}
          {user.id !== session.id &&
            (user.active ? (
              <MenuItem danger onAction={() => onOpen({ what: 'deactivate', user })}>
                {t.deactivate}
              </MenuItem>
            ) : (
              <MenuItem onAction={() => void activate()}>{t.activate}</MenuItem>
            ))}
        </Menu>
      }
    />
  );
}

const shownRoles = 5;

/** The roles of a user with their places. */
function Roles({ of: { roles, superAdmin } }: { of: User }) {
  const t = useTexts('people').users;
  const names = useRoleNames();
  if (roles.length === 0) return superAdmin ? null : <span>{t.noRoles}</span>;
  return (
    <>
      {roles.slice(0, shownRoles).map((r) => (
        <span key={`${r.role} ${r.customRoleId} ${r.tenantId} ${r.departmentId} ${r.projectId}`}>{t.roleIn(r.role ? names[r.role] : (r.customRole ?? ''), r.place)}</span>
      ))}
      {roles.length > shownRoles && <span>{t.moreRoles(roles.length - shownRoles)}</span>}
    </>
  );
}

type OpenedProps = { open: Open | undefined; tenantId: number; tenants: Schemas['Tenant'][]; onClose: () => void; onChanged: () => Promise<unknown> };

/** The open dialog, if any. */
function Opened({ open, tenantId, tenants, onClose, onChanged }: OpenedProps) {
  const t = useTexts('people').users;
  const session = useSession();
  return (
    <>
      <Dialog title={t.inviteTitle} isOpen={open?.what === 'invite'} onClose={onClose}>
        <InviteTo tenants={tenants.filter((tenant) => !tenantId || tenant.id === tenantId)} onClose={onClose} />
      </Dialog>
      <Dialog title={t.create} isOpen={open?.what === 'create'} onClose={onClose}>
        <CreateUser tenantId={tenantId} tenants={tenants} onClose={onClose} onChanged={onChanged} />
      </Dialog>
      <Dialog title={t.changeTitle} isOpen={open?.what === 'change'} onClose={onClose}>
        {open?.what === 'change' && <ChangeUser user={open.user} onClose={onClose} onChanged={onChanged} />}
      </Dialog>
      <Dialog title={open?.what === 'password' ? t.passwordOf(open.user.name) : ''} isOpen={open?.what === 'password'} onClose={onClose}>
        {open?.what === 'password' && <SetPassword user={open.user} onClose={onClose} />}
      </Dialog>
      <Dialog title={open?.what === 'links' ? t.linksOf(open.user.name) : ''} isOpen={open?.what === 'links'} onClose={onClose}>
        {open?.what === 'links' && (
          <Suspense fallback={<Skeleton />}>
            <UserLinks user={open.user} unlinks={open.user.id !== session.id} />
          </Suspense>
        )}
      </Dialog>
      {open?.what === 'factors' && <RemoveFactors user={open.user} onClose={onClose} onChanged={onChanged} />}
      <Deactivation user={open?.what === 'deactivate' ? open.user : undefined} onClose={onClose} onChanged={onChanged} />
    </>
  );
}

function InviteTo({ tenants, onClose }: { tenants: Schemas['Tenant'][]; onClose: () => void }) {
  const client = useQueryClient();
  return <InviteForm offer={useOfferInTenants(tenants)} onClose={onClose} onChanged={() => client.invalidateQueries({ queryKey: invitationsKey })} />;
}

/** Asks before it removes the second factors of a user who has lost them. */
function RemoveFactors({ user, onClose, onChanged }: { user: User; onClose: () => void; onChanged: () => Promise<unknown> }) {
  const t = useTexts('people').users;
  const [error, setError] = useState<ApiError>();
  const [pending, setPending] = useState(false);
  const remove = async () => {
    setPending(true);
    setError(undefined);
    try {
      await api.DELETE('/api/users/{userId}/factors', { params: { path: { userId: user.id } } });
      await onChanged();
      toast(t.factorsRemoved(user.name));
      onClose();
    } catch (caught) {
      setError(asApiError(caught));
    } finally {
      setPending(false);
    }
  };
  return (
    <Confirm title={t.removeFactorsOf(user.name)} isOpen onClose={onClose} onConfirm={() => void remove()} action={t.removeFactors} isPending={pending} danger>
      <p>{t.removeFactorsText}</p>
      {error && <Problem error={error} />}
    </Confirm>
  );
}

function CreateUser({ tenantId, tenants, onClose, onChanged }: { tenantId: number; tenants: Schemas['Tenant'][]; onClose: () => void; onChanged: () => Promise<unknown> }) {
  const t = useTexts('people').users;
  const { superAdmin } = useSession();
  const form = useForm({ name: '', email: '', password: '', tenantId: tenantId || (tenants[0]?.id ?? everyTenant), superAdmin: false }, async ({ tenantId, superAdmin: platform, ...rest }) => {
    await api.POST('/api/users', { body: { ...rest, tenantId: tenantId || null, ...(platform && { superAdmin: true }) } });
    await onChanged();
    toast(t.created(rest.name));
  });
  return (
    <SaveForm form={form} action={t.create} onCancel={onClose} onSaved={onClose}>
      <TextField label={t.name} required autoComplete="off" {...form.field('name')} />
      <TextField label={t.email} type="email" required autoComplete="off" {...form.field('email')} />
      <TextField label={t.password} type="password" hint={t.passwordHint} required autoComplete="new-password" {...form.field('password')} />
      {(tenants.length > 1 || superAdmin) && (
        <Select
          label={t.organisation}
          hint={t.organisationHint}
          {...form.field('tenantId')}
          options={[...tenants.map((tenant) => ({ id: tenant.id, label: tenant.name })), ...(superAdmin ? [{ id: everyTenant, label: t.platform }] : [])]}
        />
      )}
      {superAdmin && (
        <Checkbox isSelected={form.values.superAdmin} onChange={(on) => form.set('superAdmin', on)} hint={t.superAdminHint}>
          {t.superAdmin}
        </Checkbox>
      )}
    </SaveForm>
  );
}

function ChangeUser({ user, onClose, onChanged }: { user: User; onClose: () => void; onChanged: () => Promise<unknown> }) {
  const t = useTexts('people').users;
  const { superAdmin } = useSession();
  const form = useForm({ name: user.name, email: user.email, superAdmin: user.superAdmin }, async (values, changed) => {
    await api.PATCH('/api/users/{userId}', { params: { path: { userId: user.id } }, body: changed });
    await onChanged();
    toast(t.saved(values.name));
  });
  return (
    <SaveForm form={form} action={t.save} onCancel={onClose} onSaved={onClose}>
      <TextField label={t.name} required autoComplete="off" {...form.field('name')} />
      <TextField label={t.email} type="email" required autoComplete="off" {...form.field('email')} />
      {superAdmin && (
        <Checkbox isSelected={form.values.superAdmin} onChange={(on) => form.set('superAdmin', on)} hint={t.superAdminHint}>
          {t.superAdmin}
        </Checkbox>
      )}
    </SaveForm>
  );
}

function SetPassword({ user, onClose }: { user: User; onClose: () => void }) {
  const t = useTexts('people').users;
  const form = useForm({ new: '' }, async (body) => {
    await api.PUT('/api/users/{userId}/password', { params: { path: { userId: user.id } }, body });
    toast(t.passwordSet(user.name));
  });
  return (
    <SaveForm form={form} action={t.setPassword} onCancel={onClose} onSaved={onClose}>
      <p>{t.passwordText}</p>
      <TextField label={t.newPassword} type="password" hint={t.passwordHint} required autoComplete="new-password" {...form.field('new')} />
    </SaveForm>
  );
}
