import { useQuery } from '@tanstack/react-query';
import { CircleAlert } from 'lucide-react';
import type { Schemas } from '../api/client';
import { useProjects } from '../api/queries';
import { useFormat } from '../i18n/format';
import { useTexts } from '../i18n/language';
import { ScheduledLink } from '../overview/scheduledlink';
import { Empty, Mono, Problem, Skeleton, Time } from '../ui/basics';
import styles from './inbox.module.css';
import { NoPage, Pages } from './pages';
import { failedQuery } from './queries';
import type { InboxSearch } from './search';

/** The failed scheduled publications and unpublications, which the server retries. */
export function FailedList({ search }: { search: InboxSearch }) {
  const t = useTexts('inbox').failed;
  const query = useQuery(failedQuery(search));
  if (query.error && !query.data) return <Problem error={query.error} retry={() => void query.refetch()} />;
  if (!query.data) return <Skeleton />;
  const { data, meta } = query.data;
  if (data.length === 0 && meta.page > 1) return <NoPage search={search} />;
  if (data.length === 0) {
    return (
      <Empty title={t.none}>
        <p>{t.noneWhy}</p>
      </Empty>
    );
  }
  return (
    <>
      <ul className={styles.list} aria-label={t.label}>
        {data.map((s) => (
          <FailedRow key={`${s.projectId} ${s.entryId} ${s.releaseId} ${s.action}`} schedule={s} />
        ))}
      </ul>
      <Pages search={search} total={meta.total} />
    </>
  );
}

function FailedRow({ schedule: s }: { schedule: Schemas['Schedule'] }) {
  const t = useTexts('inbox').failed;
  const format = useFormat();
  const project = useProjects().find((p) => p.id === s.projectId);
  return (
    <li>
      <ScheduledLink schedule={s} className={styles.row} data-row data-failed>
        <CircleAlert aria-hidden />
        <span className={styles.what}>
          <span className={styles.title}>{s.title ?? t.untitled(s.entryId ?? 0)}</span>
          <span className={styles.meta}>
            {s.releaseNumber && <Mono>{s.releaseNumber}</Mono>}
            <span>{project?.name}</span>
            {s.locale && <abbr title={format.locale(s.locale)}>{s.locale}</abbr>}
            <span>{t.by(s.scheduledBy?.name ?? '')}</span>
          </span>
          <span className={styles.fault}>{s.fault}</span>
        </span>
        <span className={styles.due} data-time>
          <small>{s.action === 'publish' ? t.wasDue : t.endWasDue}</small>
          <Time value={s.dueAt} as="planned" />
        </span>
        <span className={styles.end}>
          <small>{t.attempts(s.attempts)}</small>
          {s.retryAt && (
            <span>
              {t.next} <Time value={s.retryAt} />
            </span>
          )}
        </span>
      </ScheduledLink>
    </li>
  );
}
