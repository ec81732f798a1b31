import { useMutation } from '@tanstack/react-query';
import { CalendarClock, Send, Undo2 } from 'lucide-react';
import { lazy, Suspense, useState } from 'react';
import { api, dataOf, ifMatch, type Schemas } from '../api/client';
import { queryClient } from '../api/queries';
import { useTexts } from '../i18n/language';
import { Problem } from '../ui/basics';
import { Button } from '../ui/button';
import { focusNext } from '../ui/focus';
import { Confirm } from '../ui/overlays';
import { toast } from '../ui/toast';
import { approvalOf, at, isRelease, requestChanged, requestQuery, type Place, type ReleasePlace, type Request, type Subject } from './queries';
import styles from './review.module.css';
import { WithdrawDialog } from './withdraw';

const ScheduleDialog = lazy(() => import('./schedule').then((m) => ({ default: m.ScheduleDialog })));

/** The other actions on a request: publish, reschedule and withdraw. */
export function Ways({ subject, request, project }: { subject: Subject; request: Request; project?: Schemas['Project'] }) {
  const t = useTexts('review').panel;
  const [asks, ask] = useState<'publish' | 'schedule' | 'withdraw'>();
  const open = request.status === 'pending' || request.status === 'approved';
  const schedules = request.canReschedule;
  const withdraws = open && project?.actions.includes(isRelease(subject) ? 'release.write' : 'content.write');

  const publish = useMutation({
    mutationFn: () => {
      const { route, at } = approvalOf(subject);
      return dataOf<Request>(api.POST(`${route}/publish-now`, { ...at, body: { contentHash: request.contentHash } }));
    },
    onSuccess: async (after) => {
      ask(undefined);
      toast(t.publishedNow);
      await requestChanged(after);
    },
  });
  const withdraw = useMutation({
    mutationFn: (comment?: string) => (isRelease(subject) ? withdrawRelease(subject, comment) : withdrawEntry(subject, request, comment)),
    onSuccess: async () => {
      ask(undefined);
      const after = await queryClient.fetchQuery({ ...requestQuery(subject), staleTime: 0 });
      if (after.status === 'withdrawn') toast(t.withdrawn);
      focusNext(() => document.querySelector<HTMLElement>('main article'));
      await requestChanged(after);
    },
  });
  const publishes = request.canPublishNow;
  if (!publishes && !schedules && !withdraws) return null;
  return (
    <div className={styles.release}>
      {publishes && (
        <Button wide icon={<Send aria-hidden />} onPress={() => ask('publish')}>
          {t.publishNow}
        </Button>
      )}
      {schedules && (
        <Button kind="quiet" icon={<CalendarClock aria-hidden />} onPress={() => ask('schedule')}>
          {t.reschedule}
        </Button>
      )}
      {withdraws && (
        <Button kind="quiet" icon={<Undo2 aria-hidden />} onPress={() => ask('withdraw')}>
          {t.withdraw}
        </Button>
      )}
      <Confirm title={t.publishNow} isOpen={asks === 'publish'} onClose={() => ask(undefined)} onConfirm={() => publish.mutate()} isPending={publish.isPending} action={t.publishNow}>
        <p>{isRelease(subject) ? t.publishAllAsk : t.publishAsk}</p>
        {publish.error && <Problem error={publish.error} />}
      </Confirm>
      <WithdrawDialog isOpen={asks === 'withdraw'} onClose={() => ask(undefined)} onConfirm={(comment) => withdraw.mutate(comment)} isPending={withdraw.isPending} error={withdraw.error} />
      {asks === 'schedule' && (
        <Suspense>
          <ScheduleDialog subject={subject} request={request} onClose={() => ask(undefined)} />
        </Suspense>
      )}
    </div>
  );
}

/** Withdraws the request of an entry, if it still is its open one. */
async function withdrawEntry(place: Place, request: Request, comment?: string) {
  // published: false would unpublish an entry without an open request. If-Match ensures that
  // the entry still has this request.
  const entry = await dataOf<Schemas['ManagedEntry']>(api.GET('/api/projects/{projectId}/collections/{collectionId}/content/{contentId}', at(place)));
  if (entry.approval?.id !== request.id || (entry.approval.status !== 'pending' && entry.approval.status !== 'approved')) return;
  await api.PATCH('/api/projects/{projectId}/collections/{collectionId}/content/{contentId}', {
    params: { ...at(place).params, header: { 'If-Match': ifMatch(entry) } },
    body: { published: false, comment },
  });
}

async function withdrawRelease({ projectId, releaseId }: ReleasePlace, comment?: string) {
  await api.POST('/api/projects/{projectId}/releases/{releaseId}/approval/withdraw', { params: { path: { projectId, releaseId } }, body: { comment } });
}
