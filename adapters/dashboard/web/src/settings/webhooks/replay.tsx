import { useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { api, dataOf } from '../../api/client';
import { useFormat } from '../../i18n/format';
import { useTexts } from '../../i18n/language';
import { DateField } from '../../ui/datefield';
import { useForm } from '../../ui/form';
import { SaveForm } from '../../ui/saveform';
import { toast } from '../../ui/toast';
import { sentKeys, type Webhook } from './queries';

/** Sends the events since a time again. */
export function Replay({ webhook, onClose }: { webhook: Webhook; onClose: () => void }) {
  const t = useTexts('webhooks').replay;
  const format = useFormat();
  const client = useQueryClient();
  const path = { projectId: webhook.projectId, webhookId: webhook.id };
  const [initial] = useState(() => ({ since: webhook.failingSince ?? new Date(Date.now() - 86_400_000).toISOString() }));
  const form = useForm<{ since: string }>(initial, async ({ since }) => {
    const { events } = await dataOf(api.POST('/api/projects/{projectId}/webhooks/{webhookId}/replay', { params: { path }, body: { since } }));
    toast(t.replayed(events, format.number(events)));
    await Promise.all(sentKeys(path).map((queryKey) => client.invalidateQueries({ queryKey })));
  });
  return (
    <SaveForm form={form} action={t.replay} onCancel={onClose} onSaved={onClose} always>
      <p>{t.about}</p>
      <DateField kind="datetime" label={t.since} hint={t.sinceHint} required timeZone={format.timeZone} value={form.values.since} onChange={(since) => since && form.set('since', since)} fault={form.fault('since')} />
    </SaveForm>
  );
}
