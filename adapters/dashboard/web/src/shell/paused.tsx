import { useSession } from '../api/queries';
import { useTexts } from '../i18n/language';
import { Note, Time } from '../ui/basics';
import styles from './shell.module.css';

/** Says on every page that the installation is paused since a restore. */
export function Paused() {
  const t = useTexts('common').shell;
  const { pausedSince, superAdmin } = useSession();
  if (!pausedSince) return null;
  return (
    <div className={styles.paused}>
      <Note tone="wait" role="status">
        {t.paused} <Time value={pausedSince} as="dateTime" />. {t.stopped} {superAdmin ? t.resume : t.askOperator}
      </Note>
    </div>
  );
}
