import { useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { CircleCheck } from 'lucide-react';
import { Said } from '../faults/said';
import { useFormat } from '../i18n/format';
import { useTexts } from '../i18n/language';
import { Note, Problem } from '../ui/basics';
import { checkQuery, membersQuery, type ReleasePlace } from './queries';
import styles from './releases.module.css';

/** What keeps an open release from being sent, and what would not be as it may be expected. */
export function Checked({ place, version }: { place: ReleasePlace; version: number }) {
  const t = useTexts('releases');
  const format = useFormat();
  const { data, error, refetch } = useQuery(checkQuery(place, version));
  const members = useQuery(membersQuery(place, version)).data;
  if (error && !data) return <Problem error={error} retry={() => void refetch()} />;
  if (!data) return null;
  const shown = (entryId: number | undefined, location: string | undefined, message: string, key: number) => {
    const inside = location?.replace(/^members\.\d+\.?/, '').replace(/^fields\./, '');
    const member = members?.find((one) => one.entryId === entryId);
    return (
      <li key={key}>
        {entryId !== undefined && (
          <>
            {member && !member.gone ? (
              <Link to="/projects/$projectId/collections/$collectionId/entries/$entryId" params={{ projectId: place.projectId, collectionId: member.collectionId, entryId }}>
                {member.title || t.untitled(entryId)}
              </Link>
            ) : (
              <b>{member?.title || t.untitled(entryId)}</b>
            )}
            {inside && ` (${inside})`}:{' '}
          </>
        )}
        <Said text={message} />
      </li>
    );
  };
  return (
    <section aria-labelledby="check" role="status">
      <h2 id="check">{t.check.title}</h2>
      {data.faults.length === 0 ? (
        <Note tone="good" icon={<CircleCheck aria-hidden />}>
          {t.check.fine}
        </Note>
      ) : (
        <Note tone="bad">
          {t.check.faults(data.faults.length, format.number(data.faults.length))}
          <ul className={styles.faults}>{data.faults.map(({ entryId, location, message }, i) => shown(entryId, location, message, i))}</ul>
        </Note>
      )}
      {data.warnings.length > 0 && (
        <Note tone="wait">
          {t.check.warnings(data.warningCount, format.number(data.warningCount))}
          <ul className={styles.faults}>{data.warnings.map(({ entryId, location, message }, i) => shown(entryId, location, message, i))}</ul>
        </Note>
      )}
    </section>
  );
}
