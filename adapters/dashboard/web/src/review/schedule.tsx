import { useMutation } from '@tanstack/react-query';
import { useState } from 'react';
import { api, dataOf } from '../api/client';
import { asApiError } from '../api/error';
import { useFormat } from '../i18n/format';
import { useTexts } from '../i18n/language';
import { fromLocal, toLocal } from '../i18n/zoned';
import { Problem } from '../ui/basics';
import { Button } from '../ui/button';
import { TextField } from '../ui/textfields';
import { Dialog } from '../ui/overlays';
import { toast } from '../ui/toast';
import { at, requestChanged, type Place, type Request } from './queries';
import styles from './review.module.css';

const latest = '9999-12-31T23:59'; // browsers accept years of six digits

/** A dialog that changes the times of a request's publication and of its end. */
export function ScheduleDialog({ place, request, onClose }: { place: Place; request: Request; onClose: () => void }) {
  const t = useTexts('review').schedule;
  const { timeZone } = useFormat();
  const [before] = useState(() => ({ from: toLocal(request.scheduledPublishAt, timeZone), until: toLocal(request.scheduledUnpublishAt, timeZone) }));
  const [from, setFrom] = useState(before.from);
  const [until, setUntil] = useState(before.until);
  const save = useMutation({
    mutationFn: () =>
      dataOf<Request>(
        api.PUT('/api/projects/{projectId}/collections/{collectionId}/content/{contentId}/approval/schedule', {
          ...at(place),
          // The inputs have no seconds, so an unchanged time is not sent.
          body: {
            ...(from !== before.from && { publishAt: fromLocal(from, timeZone) ?? null }),
            ...(until !== before.until && { unpublishAt: fromLocal(until, timeZone) ?? null }),
          },
        }),
      ),
    onSuccess: async (after) => {
      toast(t.saved);
      onClose();
      await requestChanged(place, after);
    },
  });
  const faults = save.error ? asApiError(save.error).faults : [];
  const faultOf = (name: string) => faults.find((f) => f.location?.split('.').at(-1) === name)?.message;
  const approved = request.status === 'approved';
  return (
    <Dialog title={t.title} isOpen onClose={onClose}>
      <form
        className={styles.form}
        onSubmit={(event) => {
          event.preventDefault();
          save.mutate();
        }}
      >
        <p>{t.zone(timeZone)}</p>
        <TextField label={t.from} type="datetime-local" max={latest} value={from} onChange={setFrom} required={approved} hint={approved ? t.pastHint : t.emptyHint} fault={faultOf('publishAt')} autoFocus />
        <TextField label={t.until} type="datetime-local" max={latest} value={until} onChange={setUntil} hint={t.untilHint} fault={faultOf('unpublishAt')} />
        {save.error && faults.length === 0 && <Problem error={save.error} />}
        <footer>
          <Button onPress={onClose}>{t.cancel}</Button>
          <Button kind="primary" type="submit" isPending={save.isPending} isDisabled={(approved && !from) || (from === before.from && until === before.until)}>
            {t.save}
          </Button>
        </footer>
      </form>
    </Dialog>
  );
}
