import { useQueryClient } from '@tanstack/react-query';
import { useNavigate } from '@tanstack/react-router';
import { api } from '../../api/client';
import { useTexts } from '../../i18n/language';
import { ProblemLine } from '../../ui/basics';
import { toast } from '../../ui/toast';
import { sentKeys, type Webhook } from './queries';

/** What can be done with a webhook without a dialog. Each action says in a message how it went. */
export function useWebhookActions(webhook: Webhook) {
  const t = useTexts('webhooks').actions;
  const client = useQueryClient();
  const navigate = useNavigate();
  const path = { projectId: webhook.projectId, webhookId: webhook.id };
  const sent = () => Promise.all(sentKeys(path).map((queryKey) => client.invalidateQueries({ queryKey })));
  const said = async (action: () => Promise<unknown>) => {
    try {
      await action();
    } catch (caught) {
      toast(<ProblemLine error={caught} />);
    }
  };
  return {
    /** Sends a test and shows the deliveries, where it appears. */
    test: () =>
      said(async () => {
        await api.POST('/api/projects/{projectId}/webhooks/{webhookId}/test', { params: { path } });
        toast(t.tested(webhook.name));
        await sent();
        await navigate({ to: '/projects/$projectId/webhooks/$webhookId', params: path });
      }),
    /** Switches the webhook on or off. */
    turn: (active: boolean) =>
      said(async () => {
        await api.PATCH('/api/projects/{projectId}/webhooks/{webhookId}', { params: { path }, body: { active } });
        toast(active ? t.turnedOn(webhook.name) : t.turnedOff(webhook.name));
        await sent();
      }),
    /** Sends a delivery again. */
    retry: (deliveryId: number) =>
      said(async () => {
        await api.POST('/api/projects/{projectId}/webhooks/{webhookId}/deliveries/{deliveryId}/retry', { params: { path: { ...path, deliveryId } } });
        toast(t.retried);
        await sent();
      }),
  };
}
