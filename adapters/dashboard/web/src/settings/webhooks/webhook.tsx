import { useQuery } from '@tanstack/react-query';
import { getRouteApi, Link, useNavigate } from '@tanstack/react-router';
import { Ellipsis } from 'lucide-react';
import { useState } from 'react';
import type { Schemas } from '../../api/client';
import { may } from '../../api/rights';
import { useProject } from '../../api/queries';
import { useTexts } from '../../i18n/language';
import { NotFound } from '../../shell/failed';
import { Note, Problem, Skeleton } from '../../ui/basics';
import { Button, IconButton } from '../../ui/button';
import { Menu, MenuItem } from '../../ui/overlays';
import { ProjectPage, Section } from '../parts';
import { useWebhookActions } from './actions';
import { Deliveries } from './deliveries';
import { WebhookDialogs, type Open } from './dialogs';
import { webhooksQuery, type Webhook } from './queries';
import { WhyOff } from './state';
import styles from './webhooks.module.css';

const route = getRouteApi('/app/projects/$projectId/webhooks/$webhookId');

/** A webhook and its deliveries. */
export function WebhookPage() {
  const t = useTexts('webhooks').webhook;
  const { projectId, webhookId } = route.useParams();
  const project = useProject(projectId);
  const query = useQuery({ ...webhooksQuery(projectId), enabled: may(project, 'webhook.manage') });
  const webhook = query.data?.data.find((one) => one.id === webhookId);
  if (!may(project, 'webhook.manage') || (query.data && !webhook)) return <NotFound />;
  const above = [
    <Link key="webhooks" activeOptions={{ exact: true }} to="/projects/$projectId/webhooks" params={{ projectId }}>
      {t.webhooks}
    </Link>,
  ];
  return (
    <ProjectPage projectId={projectId} title={webhook?.name ?? t.webhooks} lead={webhook?.url} above={above} actions={(p) => webhook && <Actions project={p} webhook={webhook} />}>
      {() => (
        <>
          {query.error && <Problem error={query.error} retry={() => void query.refetch()} />}
          {!webhook && !query.error && <Skeleton />}
          {webhook && <Log webhook={webhook} />}
        </>
      )}
    </ProjectPage>
  );
}

function Actions({ project, webhook }: { project: Schemas['Project']; webhook: Webhook }) {
  const t = useTexts('webhooks').webhooks;
  const navigate = useNavigate();
  const { turn } = useWebhookActions(webhook);
  const [open, setOpen] = useState<Open>();
  return (
    <>
      <Button onPress={() => setOpen({ what: 'change', webhook })}>{t.change}</Button>
      <Menu label={t.actions(webhook.name)} trigger={<IconButton label={t.actions(webhook.name)} icon={<Ellipsis aria-hidden />} />}>
        <MenuItem onAction={() => void turn(!webhook.active)}>{webhook.active ? t.turnOff : t.turnOn}</MenuItem>
        <MenuItem onAction={() => setOpen({ what: 'rotate', webhook })}>{t.rotate}</MenuItem>
        <MenuItem danger onAction={() => setOpen({ what: 'delete', webhook })}>
          {t.delete}
        </MenuItem>
      </Menu>
      <WebhookDialogs project={project} open={open} onClose={() => setOpen(undefined)} onDeleted={() => navigate({ to: '/projects/$projectId/webhooks', params: { projectId: project.id } })} />
    </>
  );
}

function Log({ webhook }: { webhook: Webhook }) {
  const t = useTexts('webhooks').webhook;
  const project = useProject(webhook.projectId)!;
  const { test, turn } = useWebhookActions(webhook);
  const [open, setOpen] = useState<Open>();
  return (
    <>
      {(!webhook.active || webhook.failingSince) && (
        <div className={styles.why}>
          <Note tone={webhook.offReason ? 'bad' : 'wait'}>
            <p>
              <WhyOff webhook={webhook} />
            </p>
            {!webhook.active && <Button onPress={() => void turn(true)}>{t.turnOn}</Button>}
          </Note>
        </div>
      )}
      <Section
        title={t.deliveries}
        lead={t.deliveriesLead}
        actions={
          <div className={styles.actions}>
            <Button onPress={() => void test()}>{t.test}</Button>
            {webhook.active && <Button onPress={() => setOpen({ what: 'replay', webhook })}>{t.replay}</Button>}
          </div>
        }
      >
        <Deliveries webhook={webhook} />
      </Section>
      <WebhookDialogs project={project} open={open} onClose={() => setOpen(undefined)} />
    </>
  );
}
