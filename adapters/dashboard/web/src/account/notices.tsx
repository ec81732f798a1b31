import { useQuery } from '@tanstack/react-query';
import { useSession } from '../api/queries';
import { useTexts } from '../i18n/language';
import { Note, Problem, Skeleton } from '../ui/basics';
import { Checkbox } from '../ui/toggles';
import styles from './account.module.css';
import { settingsQuery, useChangeSettings } from './settings';

const kinds = ['your_turn', 'rejected', 'revision_requested', 'approved', 'published', 'withdrawn', 'unpublished', 'unreachable', 'overdue', 'publication_failed', 'release_failed', 'comment', 'mention', 'resolved', 'delegation', 'webhook_off', 'account'] as const;

/** Which notices the user also gets by e-mail, and of which steps. Each change is saved immediately. */
export function NoticeSettings() {
  const t = useTexts('account').notices;
  const { mail } = useSession();
  const query = useQuery(settingsQuery);
  const change = useChangeSettings();
  const error = change.error ?? query.error;
  const settings = query.data;
  return (
    <section id="notices">
      <h2>{t.title}</h2>
      <p>{t.lead}</p>
      {!mail && <Note>{t.noMail}</Note>}
      {error && <Problem error={error} retry={() => void query.refetch()} />}
      {!settings && !error && <Skeleton />}
      {settings && (
        <>
          <fieldset className={styles.kinds}>
            <legend>{t.mail}</legend>
            {kinds.map((kind) => (
              <Checkbox key={kind} isSelected={settings.notices[kind] === 'now'} onChange={(on) => change.mutate({ notices: { [kind]: on ? 'now' : 'never' } })}>
                {t.kinds[kind]}
              </Checkbox>
            ))}
          </fieldset>
          <fieldset className={styles.kinds}>
            <legend>{t.reach}</legend>
            <Checkbox isSelected={settings.reach === 'above'} onChange={(on) => change.mutate({ reach: on ? 'above' : 'own' })} hint={t.aboveHint}>
              {t.above}
            </Checkbox>
          </fieldset>
        </>
      )}
    </section>
  );
}
