import { useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { api, dataOf, type Schemas } from '../../api/client';
import { asApiError, type ApiError } from '../../api/error';
import { useTexts } from '../../i18n/language';
import { Problem } from '../../ui/basics';
import { Button } from '../../ui/button';
import { useForm } from '../../ui/form';
import { Dialog } from '../../ui/overlays';
import { SaveForm } from '../../ui/saveform';
import { toast } from '../../ui/toast';
import { Deletion } from '../deletion';
import { Secret } from '../tokens/secret';
import { webhooksQuery, type Webhook } from './queries';
import { Replay } from './replay';
import { bodyOf, newWebhook, valuesOf } from './values';
import { WebhookFields } from './webhookform';

type Project = Schemas['Project'];
export type Open = { what: 'create' } | { what: 'change' | 'rotate' | 'replay' | 'delete'; webhook: Webhook };

type DialogsProps = { project: Project; open: Open | undefined; onClose: () => void; onDeleted?: () => Promise<unknown> };

/** The open dialog, if any. */
export function WebhookDialogs({ project, open, onClose, onDeleted }: DialogsProps) {
  const t = useTexts('webhooks').dialogs;
  const client = useQueryClient();
  const refresh = () => client.invalidateQueries({ queryKey: webhooksQuery(project.id).queryKey });
  return (
    <>
      <Dialog title={t.create} isOpen={open?.what === 'create'} onClose={onClose}>
        <Create project={project} onClose={onClose} onSaved={refresh} />
      </Dialog>
      <Dialog title={t.changeTitle} isOpen={open?.what === 'change'} onClose={onClose}>
        {open?.what === 'change' && <Change project={project} webhook={open.webhook} onClose={onClose} onSaved={refresh} />}
      </Dialog>
      <Dialog title={open?.what === 'rotate' ? t.rotateTitle(open.webhook.name) : ''} isOpen={open?.what === 'rotate'} onClose={onClose}>
        {open?.what === 'rotate' && <Rotate webhook={open.webhook} onClose={onClose} />}
      </Dialog>
      <Dialog title={t.replayTitle} isOpen={open?.what === 'replay'} onClose={onClose}>
        {open?.what === 'replay' && <Replay webhook={open.webhook} onClose={onClose} />}
      </Dialog>
      <Deletion
        title={open?.what === 'delete' ? t.deleteTitle(open.webhook.name) : ''}
        isOpen={open?.what === 'delete'}
        onClose={onClose}
        onDelete={async () => {
          if (open?.what !== 'delete') return;
          await api.DELETE('/api/projects/{projectId}/webhooks/{webhookId}', { params: { path: { projectId: project.id, webhookId: open.webhook.id } } });
          toast(t.deleted(open.webhook.name));
          await onDeleted?.();
          await refresh();
        }}
      >
        <p>{t.deleteText}</p>
      </Deletion>
    </>
  );
}

type FormProps = { project: Project; onClose: () => void; onSaved: () => Promise<unknown> };

function Create({ project, onClose, onSaved }: FormProps) {
  const t = useTexts('webhooks').dialogs;
  const [created, setCreated] = useState<Webhook>();
  const form = useForm(newWebhook, async (values) => {
    const { name, url, events } = values;
    setCreated(await dataOf(api.POST('/api/projects/{projectId}/webhooks', { params: { path: { projectId: project.id } }, body: { ...bodyOf(values), name, url, events } })));
    await onSaved();
  });
  if (created) return <NewSecret about={t.created(created.name)} value={created.secret} onClose={onClose} />;
  return (
    <SaveForm form={form} action={t.create} onCancel={onClose} always>
      <WebhookFields form={form} project={project} />
    </SaveForm>
  );
}

function Change({ project, webhook, onClose, onSaved }: FormProps & { webhook: Webhook }) {
  const t = useTexts('webhooks').dialogs;
  const form = useForm(valuesOf(webhook), async (values, changed) => {
    await api.PATCH('/api/projects/{projectId}/webhooks/{webhookId}', { params: { path: { projectId: project.id, webhookId: webhook.id } }, body: bodyOf(changed) });
    toast(t.changed(values.name));
    await onSaved();
  });
  return (
    <SaveForm form={form} action={t.save} onCancel={onClose} onSaved={onClose}>
      <WebhookFields form={form} project={project} headers={webhook.headers} />
    </SaveForm>
  );
}

function Rotate({ webhook, onClose }: { webhook: Webhook; onClose: () => void }) {
  const t = useTexts('webhooks').dialogs;
  const [secret, setSecret] = useState<string>();
  const [error, setError] = useState<ApiError>();
  const [pending, setPending] = useState(false);
  const rotate = async () => {
    setPending(true);
    setError(undefined);
    try {
      const path = { projectId: webhook.projectId, webhookId: webhook.id };
      setSecret((await dataOf(api.POST('/api/projects/{projectId}/webhooks/{webhookId}/rotate', { params: { path } }))).secret);
    } catch (caught) {
      setError(asApiError(caught));
    } finally {
      setPending(false);
    }
  };
  if (secret !== undefined) return <NewSecret about={t.rotated} value={secret} onClose={onClose} />;
  return (
    <>
      <p>{t.rotateText}</p>
      {error && <Problem error={error} />}
      <footer>
        <Button onPress={onClose}>{t.cancel}</Button>
        <Button kind="primary" isPending={pending} onPress={() => void rotate()}>
          {t.rotate}
        </Button>
      </footer>
    </>
  );
}

/** Shows a signing secret, this once. */
function NewSecret({ about, value = '', onClose }: { about: string; value: string | undefined; onClose: () => void }) {
  const t = useTexts('webhooks').dialogs;
  return (
    <>
      <p>{about}</p>
      <Secret label={t.secret} value={value} />
      <footer>
        <Button kind="primary" onPress={onClose}>
          {t.done}
        </Button>
      </footer>
    </>
  );
}
