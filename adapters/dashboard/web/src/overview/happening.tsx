import { ArrowDownToLine, CircleAlert, Send } from 'lucide-react';
import { useProject } from '../api/queries';
import { useFormat } from '../i18n/format';
import { useTexts } from '../i18n/language';
import styles from './calendar.module.css';
import type { Happening } from './happenings';
import { ScheduledLink } from './scheduledlink';

/** One happening, with a link to its review, or to the entry if there is no review. */
export function HappeningLink({ happening: { at, kind, failed, schedule }, showProject }: { happening: Happening; showProject: boolean }) {
  const t = useTexts('overview').happening;
  const format = useFormat();
  const { entryId, locale } = schedule;
  const project = useProject(schedule.projectId);
  const Icon = failed ? CircleAlert : kind === 'publish' ? Send : ArrowDownToLine;
  const title = schedule.title ?? t.entry(entryId ?? 0);
  const state = failed ? t.failed : t[kind];
  const inside = (
    <>
      <Icon aria-hidden />
      <span className={styles.what}>
        <time dateTime={at}>{format.time(at)}</time> <b>{title}</b>
        <small>
          {state}
          {locale && ` · ${locale}`}
          {showProject && project && ` · ${project.name}`}
        </small>
      </span>
    </>
  );
  const look = { className: styles.happening, 'data-kind': failed ? 'failed' : kind, title: `${format.exact(at)}: ${title} (${state})` };
  return (
    <ScheduledLink schedule={schedule} review {...look}>
      {inside}
    </ScheduledLink>
  );
}
