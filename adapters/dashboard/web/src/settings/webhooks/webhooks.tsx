import { useQuery } from '@tanstack/react-query';
import { getRouteApi, Link } from '@tanstack/react-router';
import { Ellipsis, Plus, Webhook as WebhookIcon } from 'lucide-react';
import { useState } from 'react';
import { may } from '../../api/rights';
import { useTexts } from '../../i18n/language';
import { Empty, Problem, Skeleton, Time } from '../../ui/basics';
import { Button, IconButton } from '../../ui/button';
import { Menu, MenuItem } from '../../ui/overlays';
import { ProjectPage, Row, Rows } from '../parts';
import { useWebhookActions } from './actions';
import { chosen } from './choice';
import { WebhookDialogs, type Open } from './dialogs';
import { webhooksQuery, type Listed } from './queries';
import { StateChip, StatusChip, WhyOff } from './state';

const route = getRouteApi('/app/projects/$projectId/webhooks');

/** The addresses that get the events of a Project. */
export function WebhooksPage() {
  const t = useTexts('webhooks').webhooks;
  const { projectId } = route.useParams();
  const [open, setOpen] = useState<Open>();
  return (
    <ProjectPage
      projectId={projectId}
      title={t.title}
      lead={t.lead}
      actions={(project) =>
        may(project, 'webhook.manage') && (
          <Button kind="primary" icon={<Plus aria-hidden />} onPress={() => setOpen({ what: 'create' })}>
            {t.create}
          </Button>
        )
      }
    >
      {(project) =>
        may(project, 'webhook.manage') ? (
          <>
            <Webhooks projectId={projectId} onOpen={setOpen} />
            <WebhookDialogs project={project} open={open} onClose={() => setOpen(undefined)} />
          </>
        ) : (
          <Empty title={t.notYours}>
            <p>{t.askAdmin}</p>
          </Empty>
        )
      }
    </ProjectPage>
  );
}

function Webhooks({ projectId, onOpen }: { projectId: number; onOpen: (open: Open) => void }) {
  const t = useTexts('webhooks').webhooks;
  const query = useQuery(webhooksQuery(projectId));
  if (query.error) return <Problem error={query.error} retry={() => void query.refetch()} />;
  if (!query.data) return <Skeleton />;
  if (query.data.data.length === 0)
    return (
      <Empty title={t.none}>
        <p>{t.noneHint}</p>
      </Empty>
    );
  return (
    <Rows label={t.title}>
      {query.data.data.map((webhook) => (
        <WebhookRow key={webhook.id} webhook={webhook} onOpen={onOpen} />
      ))}
    </Rows>
  );
}

function WebhookRow({ webhook, onOpen }: { webhook: Listed; onOpen: (open: Open) => void }) {
  const t = useTexts('webhooks').webhooks;
  const { test, turn } = useWebhookActions(webhook);
  const path = { projectId: webhook.projectId, webhookId: webhook.id };
  return (
    <Row
      dim={!webhook.active}
      icon={<WebhookIcon aria-hidden />}
      title={
        <>
          <Link to="/projects/$projectId/webhooks/$webhookId" params={path}>
            {webhook.name}
          </Link>
          <StateChip webhook={webhook} />
        </>
      }
      meta={
        <>
          <span>{new URL(webhook.url).host}</span>
          <span>{t.events(chosen(webhook.events).length)}</span>
          {(!webhook.active || webhook.failingSince) && (
            <span>
              <WhyOff webhook={webhook} />
            </span>
          )}
        </>
      }
      aside={<LastResult last={webhook.lastDelivery} />}
      actions={
        <Menu label={t.actions(webhook.name)} trigger={<IconButton label={t.actions(webhook.name)} icon={<Ellipsis aria-hidden />} />}>
          <MenuItem onAction={() => onOpen({ what: 'change', webhook })}>{t.change}</MenuItem>
          <MenuItem onAction={() => void test()}>{t.test}</MenuItem>
          <MenuItem onAction={() => void turn(!webhook.active)}>{webhook.active ? t.turnOff : t.turnOn}</MenuItem>
          <MenuItem onAction={() => onOpen({ what: 'rotate', webhook })}>{t.rotate}</MenuItem>
          <MenuItem danger onAction={() => onOpen({ what: 'delete', webhook })}>
            {t.delete}
          </MenuItem>
        </Menu>
      }
    />
  );
}

/** How the latest delivery stands. */
function LastResult({ last }: { last: Listed['lastDelivery'] }) {
  const t = useTexts('webhooks').webhooks;
  if (!last) return t.nothingYet;
  return (
    <>
      <StatusChip status={last.status} attempts={last.attempts} /> <Time value={last.at} />
    </>
  );
}
