import { useMutation } from '@tanstack/react-query';
import { useState } from 'react';
import { api, dataOf } from '../api/client';
import { asApiError } from '../api/error';
import { useFormat } from '../i18n/format';
import { useTexts } from '../i18n/language';
import { Problem } from '../ui/basics';
import { Button } from '../ui/button';
import { DateField } from '../ui/datefield';
import { Dialog } from '../ui/overlays';
import { toast } from '../ui/toast';
import { approvalOf, isRelease, requestChanged, type Request, type Subject } from './queries';
import styles from './review.module.css';

/** A dialog that changes the times of a request's publication and of its end. to: the time of publication that is proposed. */
export function ScheduleDialog({ subject, request, to, onClose }: { subject: Subject; request: Request; to?: string; onClose: () => void }) {
  const t = useTexts('review').schedule;
  const { timeZone } = useFormat();
  const [before] = useState({ from: request.scheduledPublishAt, until: request.scheduledUnpublishAt });
  const [from, setFrom] = useState(to ?? before.from);
  const [until, setUntil] = useState(before.until);
  const { route, at } = approvalOf(subject);
  const save = useMutation({
    mutationFn: () =>
      dataOf<Request>(
        api.PUT(`${route}/schedule`, {
          ...at,
          body: {
            ...(from !== before.from && { publishAt: from }),
            ...(until !== before.until && { unpublishAt: until }),
          },
        }),
      ),
    onSuccess: async (after) => {
      toast(t.saved);
      onClose();
      await requestChanged(after);
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
        <DateField kind="datetime" label={t.from} value={from} onChange={setFrom} timeZone={timeZone} required={approved} hint={approved ? t.pastHint : t.emptyHint} fault={faultOf('publishAt')} autoFocus />
        {!isRelease(subject) && <DateField kind="datetime" label={t.until} value={until} onChange={setUntil} timeZone={timeZone} hint={t.untilHint} fault={faultOf('unpublishAt')} />}
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
