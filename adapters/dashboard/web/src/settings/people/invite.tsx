import { useQuery, useQueryClient } from '@tanstack/react-query';
import { Mail } from 'lucide-react';
import { useState } from 'react';
import { api, dataOf, type Schemas } from '../../api/client';
import { useProjects } from '../../api/queries';
import { useTexts } from '../../i18n/language';
import { Button } from '../../ui/button';
import { Dialog } from '../../ui/overlays';
import { customRolesQuery } from '../queries';
import { InvitationRows, invitationsKey } from './invitations';
import { InviteForm } from './inviteform';
import { useOfferIn } from './offers';
import type { Place } from './places';

type Invitation = Schemas['Invitation'];

/** A button that invites a person to a Department or Project. */
export function Invite({ place }: { place: Place }) {
  const t = useTexts('people').invite;
  const [isOpen, setOpen] = useState(false);
  return (
    <>
      <Button icon={<Mail aria-hidden />} onPress={() => setOpen(true)}>
        {t.invite}
      </Button>
      <Dialog title={t.title} isOpen={isOpen} onClose={() => setOpen(false)}>
        <InvitePlace place={place} onClose={() => setOpen(false)} />
      </Dialog>
    </>
  );
}

function InvitePlace({ place, onClose }: { place: Place; onClose: () => void }) {
  const client = useQueryClient();
  return <InviteForm offer={useOfferIn(place)} onClose={onClose} onChanged={() => client.invalidateQueries({ queryKey: invitationsKey })} />;
}

const pageSize = 100;

/** All open invitations that the user may see. */
async function openInvitations(): Promise<Invitation[]> {
  const all: Invitation[] = [];
  for (let more = true; more; ) {
    const page = await dataOf(api.GET('/api/invitations', { params: { query: { state: 'open', offset: all.length, limit: pageSize } } }));
    all.push(...page.data);
    more = page.meta.hasMore;
  }
  return all;
}

/** The open invitations to a Department with its Projects, or to a Project. Shows nothing if none is open. */
export function OpenInvitations({ place: { kind, id } }: { place: Place }) {
  const t = useTexts('people').invite;
  const projects = useProjects();
  const query = useQuery({ queryKey: [...invitationsKey, 'open'], queryFn: openInvitations });
  const roles = useQuery({ ...customRolesQuery(id), enabled: kind === 'department' }).data?.data;
  const isHere = ({ roles: offered, customRoleIds }: Invitation) =>
    offered.some(({ projectId, departmentId }) =>
      kind === 'project' ? projectId === id : departmentId === id || projects.some((project) => project.id === projectId && project.departmentId === id),
    ) || customRoleIds.some((role) => roles?.some((own) => own.id === role));
  const here = query.data?.filter(isHere) ?? [];
  if (here.length === 0) return null;
  return (
    <>
      <h3>{t.open}</h3>
      <InvitationRows label={t.open} invitations={here} customRoles={roles} />
    </>
  );
}
