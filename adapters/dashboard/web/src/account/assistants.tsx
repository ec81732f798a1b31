import { useMutation, useQueryClient } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { Bot } from 'lucide-react';
import { Fragment, useState } from 'react';
import { $api, api, type Schemas } from '../api/client';
import { asApiError } from '../api/error';
import { useProjects } from '../api/queries';
import { useTexts } from '../i18n/language';
import { Secret } from '../settings/tokens/secret';
import { Problem, Time } from '../ui/basics';
import { Button } from '../ui/button';
import { Select, TextField } from '../ui/forms';
import { Dialog } from '../ui/overlays';
import { NumberField } from '../ui/textfields';
import { toast } from '../ui/toast';
import { Switch } from '../ui/toggles';
import styles from './account.module.css';

const query = ['get', '/api/me/assistants'] as const;
const days = 30;

/** The assistants of the user. They can be made and revoked here. */
export function Assistants() {
  const t = useTexts('account').assistants;
  const { data, error, refetch } = $api.useQuery(...query);
  return (
    <section id="assistants">
      <h2>{t.title}</h2>
      <p>{t.lead}</p>
      {error && <Problem error={error} retry={() => void refetch()} />}
      {data && data.data.length > 0 && (
        <ul className={styles.sessions} aria-label={t.list}>
          {data.data.map((one) => (
            <Item key={one.id} assistant={one} />
          ))}
        </ul>
      )}
      <Make />
    </section>
  );
}

function Item({ assistant }: { assistant: Schemas['Assistant'] }) {
  const t = useTexts('account').assistants;
  const client = useQueryClient();
  const projects = useProjects();
  const revoke = useMutation({
    mutationFn: () => api.DELETE('/api/me/assistants/{assistantId}', { params: { path: { assistantId: assistant.id } } }),
    onSuccess: () => toast(t.revoked),
    onSettled: () => client.invalidateQueries({ queryKey: query }),
  });
  return (
    <li>
      <Bot aria-hidden />
      <span>
        <span>{assistant.name}</span>
        <small>
          {t.until} <Time value={assistant.expiresAt} as="planned" /> · {assistant.drafts ? t.writes : t.reads}
          {assistant.projects.map((id) => (
            <Fragment key={id}>
              {' · '}
              <Link to="/projects/$projectId/assistants" params={{ projectId: id }}>
                {projects.find((p) => p.id === id)?.name ?? `#${id}`}
              </Link>
            </Fragment>
          ))}
        </small>
        {revoke.error && <Problem error={asApiError(revoke.error)} retry={() => revoke.mutate()} />}
      </span>
      <Button onPress={() => revoke.mutate()} isPending={revoke.isPending} aria-label={t.revokeOne(assistant.name)}>
        {t.revoke}
      </Button>
    </li>
  );
}

/** The form that makes an assistant, whose token it shows once. */
function Make() {
  const t = useTexts('account').assistants;
  const client = useQueryClient();
  const projects = useProjects();
  const [project, setProject] = useState<string | null>(null);
  const [name, setName] = useState('');
  const [expiresIn, setExpiresIn] = useState<number | null>(days);
  const [drafts, setDrafts] = useState(true);
  const make = useMutation({
    mutationFn: () => api.POST('/api/me/assistants', { body: { name, projects: [Number(project)], expiresIn: expiresIn ?? 0, drafts } }),
    onSuccess: () => setName(''),
    onSettled: () => client.invalidateQueries({ queryKey: query }),
  });
  const made = make.data?.data;
  const error = make.error ? asApiError(make.error) : undefined;
  const faultOf = (location: string) => error?.faults.find((f) => f.location === location)?.message;
  const known = ['name', 'projects[0]', 'expiresIn'].some(faultOf);
  if (projects.length === 0) return null;
  return (
    <form
      onSubmit={(event) => {
        event.preventDefault();
        make.mutate();
      }}
    >
      {error && !known && <Problem error={error} retry={() => make.mutate()} />}
      <TextField label={t.name} hint={t.nameHint} value={name} onChange={setName} maxLength={60} fault={faultOf('name')} />
      <Select label={t.project} value={project} onChange={setProject} options={projects.map((p) => ({ id: String(p.id), label: p.name }))} fault={faultOf('projects[0]')} />
      <NumberField label={t.days} hint={t.daysHint} value={expiresIn} onChange={setExpiresIn} fault={faultOf('expiresIn')} />
      <Switch isSelected={drafts} onChange={setDrafts} hint={t.draftsHint}>
        {t.drafts}
      </Switch>
      <div className={styles.actions}>
        <Button type="submit" isPending={make.isPending} isDisabled={name.trim() === '' || project === null}>
          {t.make}
        </Button>
      </div>
      <Dialog title={t.make} isOpen={made !== undefined} onClose={() => make.reset()}>
        {made && (
          <>
            <p>{t.made(made.name)}</p>
            <Secret label={t.secret} value={made.secret} />
            <p>
              {t.address}: <code>{`${location.origin}/mcp`}</code>
            </p>
            <footer>
              <Button kind="primary" onPress={() => make.reset()}>
                {t.done}
              </Button>
            </footer>
          </>
        )}
      </Dialog>
    </form>
  );
}
