import { useMutation, useQueries, useQueryClient } from '@tanstack/react-query';
import { Handshake } from 'lucide-react';
import { useState } from 'react';
import { $api, api, type Schemas } from '../api/client';
import { asApiError } from '../api/error';
import { useProjects, useSession } from '../api/queries';
import { useFormat } from '../i18n/format';
import { useTexts } from '../i18n/language';
import { membersQuery } from '../settings/people/places';
import { Problem, Time } from '../ui/basics';
import { Button } from '../ui/button';
import { DateField } from '../ui/datefield';
import { Select, TextField } from '../ui/forms';
import { toast } from '../ui/toast';
import styles from './account.module.css';

type Delegation = Schemas['Delegation'];

const query = ['get', '/api/me/delegations'] as const;
const most = 50; // projects whose members are offered

/** The delegations of the user: given, received, and set for others. They can be given and ended here. */
export function Delegations() {
  const t = useTexts('account').delegations;
  const { data, error, refetch } = $api.useQuery(...query);
  const lists = data && ([['given', data.given], ['received', data.received], ['set', data.set]] as const).filter(([, list]) => list.length > 0);
  return (
    <section id="delegations">
      <h2>{t.title}</h2>
      <p>{t.lead}</p>
      {error && <Problem error={error} retry={() => void refetch()} />}
      {lists?.map(([which, list]) => (
        <ul key={which} className={styles.sessions} aria-label={t.lists[which]}>
          {list.map((one) => (
            <Item key={one.id} delegation={one} which={which} />
          ))}
        </ul>
      ))}
      <Give />
    </section>
  );
}

function Item({ delegation, which }: { delegation: Delegation; which: 'given' | 'received' | 'set' }) {
  const t = useTexts('account').delegations;
  const format = useFormat();
  const client = useQueryClient();
  const projects = useProjects();
  const end = useMutation({
    mutationFn: () => api.DELETE('/api/me/delegations/{delegationId}', { params: { path: { delegationId: delegation.id } } }),
    onSuccess: () => toast(t.ended),
    onSettled: () => client.invalidateQueries({ queryKey: query }),
  });
  const places = delegation.projects.map((id) => projects.find((p) => p.id === id)?.name ?? `#${id}`);
  const said = which === 'given' ? t.toOther(delegation.to.name) : which === 'received' ? t.forOther(delegation.for.name) : t.between(delegation.to.name, delegation.for.name);
  const later = Date.parse(delegation.from) > Date.now();
  return (
    <li>
      <Handshake aria-hidden />
      <span>
        <span>{said}</span>
        <small>
          {later && (
            <>
              {t.from} <Time value={delegation.from} as="planned" /> ·{' '}
            </>
          )}
          {t.until} <Time value={delegation.until} as="planned" />
          {places.length > 0 && ` · ${format.list(places)}`}
          {delegation.departments.length > 0 && ` · ${t.inDepartment}`}
          {delegation.note && (
            <>
              {' · '}
              <q>{delegation.note}</q>
            </>
          )}
        </small>
        {end.error && <Problem error={asApiError(end.error)} retry={() => end.mutate()} />}
      </span>
      <Button onPress={() => end.mutate()} isPending={end.isPending} aria-label={t.endOne(said)}>
        {t.end}
      </Button>
    </li>
  );
}

/** The form that lends the decisions of the user. */
function Give() {
  const t = useTexts('account').delegations;
  const session = useSession();
  const { timeZone } = useFormat();
  const client = useQueryClient();
  const projects = useProjects();
  const [project, setProject] = useState('all');
  const [to, setTo] = useState<string | null>(null);
  const [until, setUntil] = useState<string | null>(null);
  const [note, setNote] = useState('');
  const offered = projects.filter((p) => project === 'all' || String(p.id) === project).slice(0, most);
  const people = useQueries({
    queries: offered.map((p) => ({ ...membersQuery({ kind: 'project', id: p.id }), staleTime: 60_000 })),
    combine: (all) => new Map(all.flatMap(({ data }) => (data?.data ?? []).flatMap((m) => (m.userId === session.id ? [] : [[String(m.userId), m.name] as const])))),
  });
  const give = useMutation({
    mutationFn: () =>
      api.POST('/api/me/delegations', { body: { to: Number(to), until: until!, note: note.trim() || undefined, projects: project === 'all' ? undefined : [Number(project)] } }),
    onSuccess: () => {
      toast(t.given);
      setTo(null);
      setUntil(null);
      setNote('');
    },
    onSettled: () => client.invalidateQueries({ queryKey: query }),
  });
  const error = give.error ? asApiError(give.error) : undefined;
  const faultOf = (location: string) => error?.faults.find((f) => f.location === location)?.message;
  const known = ['to', 'until', 'note'].some(faultOf);
  if (projects.length === 0) return null;
  return (
    <form
      onSubmit={(event) => {
        event.preventDefault();
        give.mutate();
      }}
    >
      {error && !known && <Problem error={error} retry={() => give.mutate()} />}
      <Select label={t.where} value={project} onChange={setProject} options={[{ id: 'all', label: t.everywhere }, ...projects.map((p) => ({ id: String(p.id), label: p.name }))]} />
      <Select label={t.who} placeholder={t.choose} value={to} onChange={setTo} options={[...people].map(([id, label]) => ({ id, label }))} fault={faultOf('to')} />
      <DateField kind="datetime" label={t.untilWhen} hint={t.untilHint} value={until} onChange={setUntil} timeZone={timeZone} required fault={faultOf('until')} />
      <TextField label={t.note} hint={t.noteHint} value={note} onChange={setNote} maxLength={500} fault={faultOf('note')} />
      <div className={styles.actions}>
        <Button type="submit" isPending={give.isPending} isDisabled={to === null || until === null}>
          {t.give}
        </Button>
      </div>
    </form>
  );
}
