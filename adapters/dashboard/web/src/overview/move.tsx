import { useMutation, useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { api, type Schemas } from '../api/client';
import { standingChanged } from '../editor/queries';
import { useFormat } from '../i18n/format';
import { useTexts } from '../i18n/language';
import { requestQuery, type Place, type Subject } from '../review/queries';
import review from '../review/review.module.css';
import { ScheduleDialog } from '../review/schedule';
import { Problem } from '../ui/basics';
import { Button } from '../ui/button';
import { DateField } from '../ui/datefield';
import { Dialog } from '../ui/overlays';
import { toast } from '../ui/toast';

/** A scheduled publication that gets another time, and the time that is proposed. */
export type Moving = { schedule: Schemas['Schedule']; to?: string };

type Props = { moving: Moving; onClose: () => void };

/** A dialog that moves a scheduled publication to another time. */
export function MoveDialog({ moving, onClose }: Props) {
  const { projectId, releaseId, collectionId, entryId, requestId } = moving.schedule;
  const place = { projectId, collectionId: collectionId ?? 0, entryId: entryId ?? 0 };
  const close = () => {
    onClose();
    standingChanged();
  };
  if (requestId === null) return <EntryDialog place={place} moving={moving} onClose={close} />;
  return <RequestDialog subject={releaseId === null ? place : { projectId, releaseId }} to={moving.to} onClose={close} />;
}

/** Those who may change the times of a request choose them; others read that they may not. */
function RequestDialog({ subject, to, onClose }: { subject: Subject; to?: string; onClose: () => void }) {
  const t = useTexts('overview').move;
  const { data: request, error } = useQuery(requestQuery(subject));
  if (request?.canReschedule) return <ScheduleDialog subject={subject} request={request} to={to} onClose={onClose} />;
  if (!request && !error) return null;
  return (
    <Dialog title={t.title} isOpen onClose={onClose}>
      <div className={review.form}>
        {error ? <Problem error={error} /> : <p>{t.refused}</p>}
        <footer>
          <Button kind="primary" onPress={onClose}>
            {t.close}
          </Button>
        </footer>
      </div>
    </Dialog>
  );
}

/** Changes the time of an entry that no workflow governs. */
function EntryDialog({ place, moving: { schedule, to }, onClose }: Props & { place: Place }) {
  const t = useTexts('review').schedule;
  const { timeZone } = useFormat();
  const [at, setAt] = useState<string | null>(to ?? schedule.dueAt);
  const save = useMutation({
    mutationFn: (publishAt: string) =>
      api.POST('/api/projects/{projectId}/collections/{collectionId}/content/{contentId}/publish', {
        params: { path: { projectId: place.projectId, collectionId: place.collectionId, contentId: place.entryId } },
        body: { publishAt, ...(schedule.unpublishAt && { unpublishAt: schedule.unpublishAt }) },
      }),
    onSuccess: () => {
      toast(t.saved);
      onClose();
    },
  });
  return (
    <Dialog title={t.title} isOpen onClose={onClose}>
      <form
        className={review.form}
        onSubmit={(event) => {
          event.preventDefault();
          if (at) save.mutate(at);
        }}
      >
        <p>{t.zone(timeZone)}</p>
        <DateField kind="datetime" label={t.from} value={at} onChange={setAt} timeZone={timeZone} required hint={t.pastHint} autoFocus />
        {save.error && <Problem error={save.error} />}
        <footer>
          <Button onPress={onClose}>{t.cancel}</Button>
          <Button kind="primary" type="submit" isPending={save.isPending} isDisabled={!at || at === schedule.dueAt}>
            {t.save}
          </Button>
        </footer>
      </form>
    </Dialog>
  );
}
