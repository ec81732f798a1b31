import { ArrowDownToLine, CalendarClock, CircleAlert, CircleCheck, Send } from 'lucide-react';
import { Button as AriaButton } from 'react-aria-components';
import { useProject } from '../api/queries';
import { useFormat } from '../i18n/format';
import { useTexts } from '../i18n/language';
import styles from './calendar.module.css';
import { isMovable, type Happening } from './happenings';
import { ScheduledLink } from './scheduledlink';

type Props = { happening: Happening; showProject: boolean; onMove: (happening: Happening) => void };

/** One happening, which can be dragged if it can be moved, with a button that does the same. */
export function HappeningItem({ happening, showProject, onMove }: Props) {
  const t = useTexts('overview').happening;
  const movable = isMovable(happening);
  return (
    <li className={styles.item} onDragStart={movable ? (event) => event.dataTransfer.setData(dragged, happening.key) : undefined}>
      <HappeningLink happening={happening} showProject={showProject} />
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

/** A link to the review of a happening, or to the entry if there is no review. */
function HappeningLink({ happening: { at, kind, failed, done, schedule }, showProject }: Omit<Props, 'onMove'>) {
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
