import { Link } from '@tanstack/react-router';
import { $api, type Schemas } from '../api/client';
import { useFormat } from '../i18n/format';
import { useTexts } from '../i18n/language';
import { Chip, Problem, Time } from '../ui/basics';
import styles from './overview.module.css';
import { ScheduledLink } from './scheduledlink';

const most = 5;

/** The next scheduled changes. count is the number of all scheduled changes. */
export function Next({ projectId, count }: { projectId: number; count: number }) {
  const t = useTexts('overview').next;
  const format = useFormat();
  const { data, error, refetch } = $api.useQuery('get', '/api/schedules', { params: { query: { project: projectId, limit: most } } }, { enabled: count > 0 });
  return (
    <section className={styles.section}>
      <header>
        <h2>{t.title}</h2>
        {count > 0 && (
          <Link to="/calendar" search={{ project: projectId }}>
            {count > most ? t.all(format.number(count)) : t.calendar}
          </Link>
        )}
      </header>
      {error && <Problem error={error} retry={() => void refetch()} />}
      {count === 0 ? (
        <p className={styles.none}>{t.none}</p>
      ) : (
        <ol className={styles.next} aria-busy={!data || undefined}>
          {data?.data.map((schedule) => (
            <li key={`${schedule.entryId} ${schedule.releaseId} ${schedule.action}`}>
              <Title schedule={schedule} />
              <span>
                {schedule.attempts > 0 ? <Chip tone="bad">{t.failed}</Chip> : schedule.action === 'publish' ? <Chip tone="good">{t.publish}</Chip> : <Chip>{t.unpublish}</Chip>}
                <small>
                  <Time value={schedule.dueAt} as="dateTime" />
                </small>
              </span>
            </li>
          ))}
        </ol>
      )}
    </section>
  );
}

function Title({ schedule }: { schedule: Schemas['Schedule'] }) {
  const t = useTexts('overview').next;
  return (
    <ScheduledLink schedule={schedule} review>
      {schedule.title ?? t.entry(schedule.entryId ?? 0)}
    </ScheduledLink>
  );
}
