import { useInfiniteQuery } from '@tanstack/react-query';
import { getRouteApi } from '@tanstack/react-router';
import { Said } from '../../faults/said';
import { useFormat } from '../../i18n/format';
import { useTexts } from '../../i18n/language';
import { Mono, Time } from '../../ui/basics';
import { Button } from '../../ui/button';
import { Select } from '../../ui/forms';
import { Paged } from '../../ui/paged';
import type { EventType } from '../../api/eventtypes';
import { Nothing, Row, Rows } from '../parts';
import { useWebhookActions } from './actions';
import { deliveriesQuery, type Delivery, type Webhook } from './queries';
import { statuses } from './search';
import { StatusChip } from './state';
import styles from './webhooks.module.css';

const route = getRouteApi('/app/projects/$projectId/webhooks/$webhookId');

/** The messages to a webhook with a filter, the newest first. */
export function Deliveries({ webhook }: { webhook: Webhook }) {
  const t = useTexts('webhooks').deliveries;
  const words = useTexts('webhooks').state.statuses;
  const navigate = route.useNavigate();
  const { status } = route.useSearch();
  const query = useInfiniteQuery(deliveriesQuery({ projectId: webhook.projectId, webhookId: webhook.id }, status));
  const found = query.data?.pages.flatMap((page) => page.data) ?? [];
  return (
    <>
      <div className={styles.filter}>
        <Select
          label={t.status}
          value={status ?? 'all'}
          onChange={(id) => void navigate({ search: { status: id === 'all' ? undefined : id } })}
          options={[{ id: 'all' as const, label: t.all }, ...statuses.map((id) => ({ id, label: words[id] }))]}
        />
      </div>
      <Paged
        query={query}
        items={found}
        none={<Nothing title={status ? t.noneSuch : t.none} children={<p>{status ? t.noneSuchHint : t.noneHint}</p>} />}
        more={t.more}
      >
        {(found) => (
          <Rows label={t.deliveries}>
            {found.map((delivery) => (
              <DeliveryRow key={delivery.id} webhook={webhook} delivery={delivery} />
            ))}
          </Rows>
        )}
      </Paged>
    </>
  );
}

function DeliveryRow({ webhook, delivery }: { webhook: Webhook; delivery: Delivery }) {
  const t = useTexts('webhooks').deliveries;
  const types: Partial<Record<string, string>> = useTexts('events').types satisfies Record<EventType, string>;
  const format = useFormat();
  const { retry } = useWebhookActions(webhook);
  const last = delivery.attempts.at(-1);
  const own: Partial<Record<string, string>> = { batch: t.batch(delivery.count, format.number(delivery.count)), 'webhook.test': t.test };
  const title = own[delivery.type] ?? types[delivery.type] ?? delivery.type;
  return (
    <Row
      title={
        <>
          {title}
          <StatusChip status={delivery.status} attempts={delivery.attempts.length} />
        </>
      }
      meta={
        <>
          <Time value={delivery.createdAt} />
          <Mono>{delivery.messageId}</Mono>
          {delivery.nextAt && delivery.attempts.length > 0 && (
            <span>
              {t.next} <Time value={delivery.nextAt} />
            </span>
          )}
          {last && <Attempts delivery={delivery} />}
        </>
      }
      aside={last && (last.code === null ? <Said text={last.fault ?? ''} /> : t.answered(last.code, format.number(last.duration)))}
      actions={
        webhook.active &&
        (delivery.status === 'parked' || delivery.status === 'delivered') && (
          <Button kind="quiet" aria-label={t.againThis(title)} onPress={() => void retry(delivery.id)}>
            {t.again}
          </Button>
        )
      }
    />
  );
}

/** The attempts to send a delivery: when, with which answer, how long it took. */
function Attempts({ delivery }: { delivery: Delivery }) {
  const t = useTexts('webhooks').deliveries;
  const format = useFormat();
  return (
    <details className={styles.attempts}>
      <summary>{t.attempts(delivery.attempts.length)}</summary>
      <ol>
        {delivery.attempts.map((attempt) => (
          <li key={attempt.number}>
            {t.attempt(attempt.number)} <Time value={attempt.at} as="dateTime" />
            {': '}
            {attempt.code === null ? <Said text={attempt.fault ?? ''} /> : t.answered(attempt.code, format.number(attempt.duration))}
            {attempt.answer && (
              <pre tabIndex={0} role="region" aria-label={t.answerOf(attempt.number)}>
                {attempt.answer}
              </pre>
            )}
          </li>
        ))}
      </ol>
    </details>
  );
}
