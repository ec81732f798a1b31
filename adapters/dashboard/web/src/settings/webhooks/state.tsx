import { useTexts } from '../../i18n/language';
import { Chip, Time } from '../../ui/basics';
import type { Delivery, Webhook } from './queries';

/** Whether a webhook is on, or why not, in a word. */
export function StateChip({ webhook }: { webhook: Webhook }) {
  const t = useTexts('webhooks').state;
  if (!webhook.active) return <Chip tone={webhook.offReason ? 'bad' : 'neutral'}>{webhook.offReason ? t.switchedOff : t.off}</Chip>;
  return webhook.failingSince ? <Chip tone="wait">{t.failing}</Chip> : <Chip tone="good">{t.on}</Chip>;
}

/** Why the program switched a webhook off, or since when it fails; nothing if all is well. */
export function WhyOff({ webhook }: { webhook: Webhook }) {
  const t = useTexts('webhooks').state;
  if (webhook.offReason) return t.reasons[webhook.offReason];
  if (!webhook.active) return t.offByUser;
  return (
    webhook.failingSince && (
      <>
        {t.failingSince} <Time value={webhook.failingSince} />
      </>
    )
  );
}

/** The status of a delivery. */
export function StatusChip({ status, attempts }: { status: Delivery['status']; attempts: number }) {
  const t = useTexts('webhooks').state;
  const failed = status === 'waiting' && attempts > 0;
  const tones = { gathering: 'neutral', waiting: 'wait', delivered: 'good', parked: 'bad' } as const;
  return <Chip tone={tones[status]}>{failed ? t.again : t.statuses[status]}</Chip>;
}
