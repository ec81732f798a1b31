import { useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { CircleCheck } from 'lucide-react';
import { Said } from '../faults/said';
import { useFormat } from '../i18n/format';
import { useTexts } from '../i18n/language';
import { Note, Problem } from '../ui/basics';
import { checkQuery, membersQuery, type ReleasePlace } from './queries';
import styles from './releases.module.css';

type Props = { place: ReleasePlace; version: number };
type Line = { entryId?: number; location?: string; message: string };

/** Faults or warnings of members, each with a link to its entry. */
function Lines({ place, version, lines }: Props & { lines: readonly Line[] }) {
  const t = useTexts('releases');
  const members = useQuery(membersQuery(place, version)).data;
  const shown = ({ entryId, location, message }: Line, key: number) => {
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
  return <ul className={styles.faults}>{lines.map(shown)}</ul>;
}

/** What readers would notice after the release. */
export function Warnings({ place, version }: Props) {
  const t = useTexts('releases').check;
  const format = useFormat();
  const { data } = useQuery(checkQuery(place, version));
  if (!data?.warningCount) return null;
  return (
    <Note tone="wait">
      {t.warnings(data.warningCount, format.number(data.warningCount))}
      <Lines place={place} version={version} lines={data.warnings} />
    </Note>
  );
}

/** What keeps an open release from being sent, and what would not be as it may be expected. */
export function Checked({ place, version }: Props) {
  const t = useTexts('releases').check;
  const format = useFormat();
  const { data, error, refetch } = useQuery(checkQuery(place, version));
  if (error && !data) return <Problem error={error} retry={() => void refetch()} />;
  if (!data) return null;
  return (
    <section aria-labelledby="check" role="status">
      <h2 id="check">{t.title}</h2>
      {data.faults.length === 0 ? (
        <Note tone="good" icon={<CircleCheck aria-hidden />}>
          {t.fine}
        </Note>
      ) : (
        <Note tone="bad">
          {t.faults(data.faults.length, format.number(data.faults.length))}
          <Lines place={place} version={version} lines={data.faults} />
        </Note>
      )}
      <Warnings place={place} version={version} />
    </section>
  );
}
