import { useQuery, useQueryClient } from '@tanstack/react-query';
import { Handshake, Plus } from 'lucide-react';
import { useState } from 'react';
import { $api, api, type Schemas } from '../../api/client';
import { asApiError, type ApiError } from '../../api/error';
import { useProjects, useSession } from '../../api/queries';
import { may } from '../../api/rights';
import { useFormat } from '../../i18n/format';
import { useTexts } from '../../i18n/language';
import { Problem, Skeleton, Time } from '../../ui/basics';
import { Button } from '../../ui/button';
import { DateField } from '../../ui/datefield';
import { useForm } from '../../ui/form';
import { Select, TextField } from '../../ui/forms';
import { Dialog } from '../../ui/overlays';
import { SaveForm } from '../../ui/saveform';
import { toast } from '../../ui/toast';
import { Nothing, Row, Rows, Section } from '../parts';
import { UserPicker } from './userpicker';

type Delegation = Schemas['Delegation'];

export const departmentDelegationsQuery = (departmentId: number) => $api.queryOptions('get', '/api/departments/{departmentId}/delegations', { params: { path: { departmentId } } });

/** The delegations that admins of a Department have set for others. Admins set more here. */
export function DepartmentDelegations({ department }: { department: Schemas['Department'] }) {
  const t = useTexts('people').delegations;
  const { data, error, refetch } = useQuery(departmentDelegationsQuery(department.id));
  const [isOpen, setOpen] = useState(false);
  return (
    <Section
      title={t.title}
      lead={t.lead}
      actions={
        may(department, 'department.members.manage') && (
          <Button icon={<Plus aria-hidden />} onPress={() => setOpen(true)}>
            {t.set}
          </Button>
        )
      }
    >
      {error && <Problem error={error} retry={() => void refetch()} />}
      {!data && !error && <Skeleton />}
      {data?.data.length === 0 && (
        <Nothing title={t.none}>
          <p>{t.noneHint}</p>
        </Nothing>
      )}
      {data && data.data.length > 0 && (
        <Rows label={t.title}>
          {data.data.map((one) => (
            <DelegationRow key={one.id} delegation={one} departmentId={department.id} />
          ))}
        </Rows>
      )}
      <Dialog title={t.set} isOpen={isOpen} onClose={() => setOpen(false)}>
        <SetForm department={department} onClose={() => setOpen(false)} />
      </Dialog>
    </Section>
  );
}

function DelegationRow({ delegation, departmentId }: { delegation: Delegation; departmentId: number }) {
  const t = useTexts('people').delegations;
  const format = useFormat();
  const client = useQueryClient();
  const session = useSession();
  const projects = useProjects();
  const [error, setError] = useState<ApiError>();
  const said = t.between(delegation.to.name, delegation.for.name);
  const end = async () => {
    setError(undefined);
    try {
      await api.DELETE('/api/me/delegations/{delegationId}', { params: { path: { delegationId: delegation.id } } });
      toast(t.ended);
    } catch (caught) {
      setError(asApiError(caught));
    }
    await client.invalidateQueries({ queryKey: departmentDelegationsQuery(departmentId).queryKey });
  };
  const places = delegation.projects.map((id) => projects.find((p) => p.id === id)?.name ?? `#${id}`);
  const later = Date.parse(delegation.from) > Date.now();
  return (
    <Row
      icon={<Handshake aria-hidden />}
      title={said}
      meta={
        <>
          {later && (
            <span>
              {t.from} <Time value={delegation.from} as="planned" />
            </span>
          )}
          <span>
            {t.until} <Time value={delegation.until} as="planned" />
          </span>
          {places.length > 0 && <span>{format.list(places)}</span>}
          <span>{t.setBy(delegation.setBy.name)}</span>
          {delegation.note && <q>{delegation.note}</q>}
          {error && <Problem error={error} />}
        </>
      }
      actions={
        [delegation.setBy.id, delegation.for.id, delegation.to.id].includes(session.id) && (
          <Button kind="quiet" onPress={() => void end()} aria-label={t.endOne(said)}>
            {t.end}
          </Button>
        )
      }
    />
  );
}

const everywhere = 'all';

/** The form that lets a user of the organisation decide for another one in the Department. */
function SetForm({ department, onClose }: { department: Schemas['Department']; onClose: () => void }) {
  const t = useTexts('people').delegations;
  const { timeZone } = useFormat();
  const client = useQueryClient();
  const session = useSession();
  const projects = useProjects().filter((p) => p.departmentId === department.id);
  const form = useForm({ for: 0, to: 0, from: null as string | null, until: null as string | null, projects: everywhere, note: '' }, async (values) => {
    await api.POST('/api/departments/{departmentId}/delegations', {
      params: { path: { departmentId: department.id } },
      body: {
        for: values.for,
        to: values.to,
        from: values.from ?? undefined,
        until: values.until!,
        projects: values.projects === everywhere ? undefined : [Number(values.projects)],
        note: values.note.trim() || undefined,
      },
    });
    await client.invalidateQueries({ queryKey: departmentDelegationsQuery(department.id).queryKey });
  });
  const place = { kind: 'department', id: department.id } as const;
  const { values } = form;
  const isComplete = values.for > 0 && values.to > 0 && values.until !== null;
  return (
    <SaveForm
      form={form}
      action={t.save}
      onCancel={onClose}
      onSaved={() => {
        toast(t.saved);
        onClose();
      }}
      isIncomplete={!isComplete}
    >
      <UserPicker place={place} label={t.who} hint={form.fault('for') ?? t.whoHint} without={[session.id, values.to]} onPick={(user) => form.set('for', user?.userId ?? 0)} />
      <UserPicker place={place} label={t.deputy} hint={form.fault('to') ?? t.deputyHint} without={[session.id, values.for]} onPick={(user) => form.set('to', user?.userId ?? 0)} />
      {projects.length > 1 && <Select label={t.where} {...form.field('projects')} options={[{ id: everywhere, label: t.everywhere }, ...projects.map((p) => ({ id: String(p.id), label: p.name }))]} />}
      <DateField kind="datetime" label={t.fromWhen} hint={t.fromHint} timeZone={timeZone} {...form.field('from')} />
      <DateField kind="datetime" label={t.untilWhen} hint={t.untilHint} timeZone={timeZone} required {...form.field('until')} />
      <TextField label={t.note} hint={t.noteHint} maxLength={500} {...form.field('note')} />
    </SaveForm>
  );
}
