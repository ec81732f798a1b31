import { keepPreviousData, useQueryClient } from '@tanstack/react-query';
import { Ellipsis, Mail } from 'lucide-react';
import { useState } from 'react';
import { $api, api, type Schemas } from '../../api/client';
import { asApiError, type ApiError } from '../../api/error';
import { useTexts } from '../../i18n/language';
import { Chip, Problem, Skeleton, Time, type Tone } from '../../ui/basics';
import { Button, IconButton } from '../../ui/button';
import { Dialog, Menu, MenuItem } from '../../ui/overlays';
import { toast } from '../../ui/toast';
import { Deletion } from '../deletion';
import { Nothing, Row, Rows, Section } from '../parts';
import { InvitationLink } from './inviteform';
import { useRoleNames } from './roles';
import css from './users.module.css';

type Invitation = Schemas['Invitation'];

const perPage = 10;
export const invitationsKey = ['get', '/api/invitations'];

/** The invitations that the user may see, the newest first. */
export function Invitations() {
  const t = useTexts('people').invitations;
  const [page, setPage] = useState(0);
  const query = $api.useQuery('get', '/api/invitations', { params: { query: { offset: page * perPage, limit: perPage } } }, { placeholderData: keepPreviousData });
  const invitations = query.data?.data;
  return (
    <div className={css.invitations}>
      <Section title={t.title} lead={t.lead}>
        {query.error && <Problem error={query.error} retry={() => void query.refetch()} />}
        {!invitations && !query.error && <Skeleton />}
        {invitations?.length === 0 && (
          <Nothing title={t.none}>
            <p>{t.noneHint}</p>
          </Nothing>
        )}
        {invitations && invitations.length > 0 && <InvitationRows label={t.title} invitations={invitations} />}
        {(page > 0 || query.data?.meta.hasMore) && (
          <nav className={css.pages} aria-label={t.title}>
            {page > 0 && <Button onPress={() => setPage(page - 1)}>{t.newer}</Button>}
            {query.data?.meta.hasMore && <Button onPress={() => setPage(page + 1)}>{t.older}</Button>}
          </nav>
        )}
      </Section>
    </div>
  );
}

type InvitationRowsProps = { label: string; invitations: readonly Invitation[]; customRoles?: readonly Schemas['CustomRole'][] };

/** A list of invitations, which can be sent again and withdrawn. It names the given custom roles, and counts others. */
export function InvitationRows({ label, invitations, customRoles = [] }: InvitationRowsProps) {
  const t = useTexts('people').invitations;
  const client = useQueryClient();
  const [resent, setResent] = useState<Invitation>();
  const [revoked, setRevoked] = useState<Invitation>();
  const refresh = () => client.invalidateQueries({ queryKey: invitationsKey });
  return (
    <>
      <Rows label={label}>
        {invitations.map((invitation) => (
          <InvitationRow key={invitation.id} invitation={invitation} customRoles={customRoles} onResent={setResent} onRevoke={() => setRevoked(invitation)} onChanged={refresh} />
        ))}
      </Rows>
      <Dialog title={resent ? t.linkFor(resent.email) : ''} isOpen={resent !== undefined} onClose={() => setResent(undefined)}>
        {resent && <InvitationLink invitation={resent} onClose={() => setResent(undefined)} />}
      </Dialog>
      <Deletion
        title={revoked ? t.revokeTitle(revoked.email) : ''}
        isOpen={revoked !== undefined}
        onClose={() => setRevoked(undefined)}
        action={t.revoke}
        onDelete={async () => {
          if (!revoked) return;
          await api.DELETE('/api/invitations/{invitationId}', { params: { path: { invitationId: revoked.id } } });
          await refresh();
          toast(t.wasRevoked(revoked.email));
        }}
      >
        <p>{t.revokeText}</p>
      </Deletion>
    </>
  );
}

const tones: Record<Invitation['state'], Tone> = { open: 'wait', accepted: 'good', revoked: 'neutral', expired: 'neutral' };

type RowProps = { invitation: Invitation; customRoles: readonly Schemas['CustomRole'][]; onResent: (invitation: Invitation) => void; onRevoke: () => void; onChanged: () => Promise<unknown> };

function InvitationRow({ invitation, customRoles, onResent, onRevoke, onChanged }: RowProps) {
  const t = useTexts('people').invitations;
  const names = useRoleNames();
  const [error, setError] = useState<ApiError>();
  const { id, email, name, roles, customRoleIds, invitedBy, state, expiresAt } = invitation;
  const named = customRoles.filter((role) => customRoleIds.includes(role.id));
  const others = customRoleIds.length - named.length;
  const pending = state === 'open' || state === 'expired';
  const resend = async () => {
    setError(undefined);
    try {
      const { data } = await api.POST('/api/invitations/{invitationId}/resend', { params: { path: { invitationId: id } } });
      if (data?.url) onResent(data);
      else toast(t.resent(email));
    } catch (caught) {
      setError(asApiError(caught));
    }
    await onChanged();
  };
  return (
    <Row
      dim={state !== 'open'}
      icon={<Mail aria-hidden />}
      title={
        <>
          {email}
          <Chip tone={tones[state]}>{t.states[state]}</Chip>
        </>
      }
      meta={
        <>
          {name && <span>{name}</span>}
          {roles.map((r) => (
            <span key={`${r.role} ${r.tenantId} ${r.departmentId} ${r.projectId}`}>{t.roleIn(names[r.role], r.place || t.gone)}</span>
          ))}
          {named.map((role) => (
            <span key={role.id}>{role.name}</span>
          ))}
          {others > 0 && <span>{t.customRoles(others)}</span>}
          {error && <Problem error={error} />}
        </>
      }
      aside={
        <div className={css.aside}>
          <span>{t.by(invitedBy.name)}</span>
          {pending && (
            <span>
              {state === 'open' ? t.until : t.since} <Time value={expiresAt} as="date" />
            </span>
          )}
        </div>
      }
      actions={
        pending && (
          <Menu label={t.actions(email)} trigger={<IconButton label={t.actions(email)} icon={<Ellipsis aria-hidden />} />}>
            <MenuItem onAction={() => void resend()}>{t.resend}</MenuItem>
            <MenuItem danger onAction={onRevoke}>
              {t.revoke}
            </MenuItem>
          </Menu>
        )
      }
    />
  );
}
