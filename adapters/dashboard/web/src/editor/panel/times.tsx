import { useState } from 'react';
import { useFormat } from '../../i18n/format';
import { useTexts } from '../../i18n/language';
import { Button } from '../../ui/button';
import { DateField } from '../../ui/datefield';
import { Dialog } from '../../ui/overlays';
import type { Times } from './actions';
import styles from './panel.module.css';

type Props = { at: string | null; until: string | null; onlyEnd?: boolean; onChoose: (times: Times) => void; onClose: () => void };

/** A dialog for the times of publication and unpublication. */
export function TimesDialog({ at, until, onlyEnd, onChoose, onClose }: Props) {
  const t = useTexts('editor').times;
  const { timeZone } = useFormat();
  const [publishAt, setAt] = useState(at);
  const [unpublishAt, setUntil] = useState(until);
  const past = publishAt !== null && Date.parse(publishAt) <= Date.now();
  const early = unpublishAt !== null && Date.parse(unpublishAt) <= Math.max(Date.now(), publishAt ? Date.parse(publishAt) : 0);
  return (
    <Dialog title={onlyEnd ? t.endTitle : t.title} isOpen onClose={onClose}>
      <form
        className={styles.times}
        onSubmit={(event) => {
          event.preventDefault();
          if (!past && !early) onChoose({ publishAt, unpublishAt });
        }}
      >
        {!onlyEnd && (
          <DateField kind="datetime" label={t.from} hint={t.fromHint} fault={past ? t.past : undefined} value={publishAt} onChange={setAt} timeZone={timeZone} />
        )}
        <DateField kind="datetime" label={t.until} hint={t.untilHint} fault={early ? t.early : undefined} value={unpublishAt} onChange={setUntil} timeZone={timeZone} />
        <p className={styles.zone}>{t.zone(timeZone)}</p>
        <footer>
          {(at || until) && (
            <Button kind="quiet" onPress={() => onChoose({ publishAt: null, unpublishAt: null })}>
              {t.clear}
            </Button>
          )}
          <Button onPress={onClose}>{t.cancel}</Button>
          <Button kind="primary" type="submit" isDisabled={past || early}>
            {t.take}
          </Button>
        </footer>
      </form>
    </Dialog>
  );
}
