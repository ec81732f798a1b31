import { Link } from '@tanstack/react-router';
import { AlarmClock, ArrowDownToLine, CalendarClock, CircleAlert, CircleCheck, Send } from 'lucide-react';
import { Button as AriaButton } from 'react-aria-components';
import { useProject } from '../api/queries';
import { useFormat } from '../i18n/format';
import { useTexts } from '../i18n/language';
import styles from './calendar.module.css';
import { reviewLink, titleOf } from '../review/open';
import { isMovable, type Change, type Happening, type Late } from './happenings';
import { ScheduledLink } from './scheduledlink';

type Props = { happening: Happening; showProject: boolean; onMove: (happening: Change) => void };

/** One happening, which can be dragged if it can be moved, with a button that does the same. */
export function HappeningItem({ happening, showProject, onMove }: Props) {
  const t = useTexts('overview').happening;
  const movable = isMovable(happening);
  return (
    <li className={styles.item} onDragStart={movable ? (event) => event.dataTransfer.setData(dragged, happening.key) : undefined}>
      {happening.kind === 'overdue' ? <LateLink late={happening} showProject={showProject} /> : <ChangeLink happening={happening} showProject={showProject} />}
      {movable && (
        <AriaButton className={styles.move!} aria-label={t.move(happening.schedule.title ?? t.entry(happening.schedule.entryId ?? 0))} onPress={() => onMove(happening)}>
          <CalendarClock aria-hidden />
        </AriaButton>
      )}
    </li>
  );
}

/** The type of what is dragged: the key of a happening. */
export const dragged = 'application/x-imprimatur-happening';

/** A link to the review of an overdue request. */
function LateLink({ late: { at, request }, showProject }: { late: Late; showProject: boolean }) {
  const t = useTexts('overview').happening;
  const format = useFormat();
  const project = useProject(request.projectId);
  const title = titleOf(request) ?? request.releaseNumber;
  return (
    <Link {...reviewLink(request)} className={styles.happening} data-kind="failed" title={`${format.exact(at)}: ${title} (${t.overdue})`}>
      <AlarmClock aria-hidden />
      <span className={styles.what}>
        <time dateTime={at}>{format.time(at)}</time> <b>{title}</b>
        <small>
          {t.overdue}
          {request.locale && ` · ${request.locale}`}
          {showProject && project && ` · ${project.name}`}
        </small>
      </span>
    </Link>
  );
}

/** A link to the review of a change, or to the entry if there is no review. */
function ChangeLink({ happening: { at, kind, failed, done, schedule }, showProject }: { happening: Change; showProject: boolean }) {
  const t = useTexts('overview').happening;
  const format = useFormat();
  const { entryId, locale } = schedule;
  const project = useProject(schedule.projectId);
  const Icon = failed ? CircleAlert : done && kind === 'publish' ? CircleCheck : kind === 'publish' ? Send : ArrowDownToLine;
  const title = schedule.title ?? t.entry(entryId ?? 0);
  const state = failed ? t.failed : done ? t.done[kind] : t[kind];
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
  const look = { className: styles.happening, 'data-kind': failed ? 'failed' : kind, 'data-done': done || undefined, title: `${format.exact(at)}: ${title} (${state})` };
  return (
    <ScheduledLink schedule={schedule} review={!done} {...look}>
      {inside}
    </ScheduledLink>
  );
}
