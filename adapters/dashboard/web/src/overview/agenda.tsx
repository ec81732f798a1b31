import { useFormat } from '../i18n/format';
import { useTexts } from '../i18n/language';
import { Chip, Empty, Skeleton } from '../ui/basics';
import styles from './calendar.module.css';
import { HappeningItem } from './happening';
import type { Change, Happening } from './happenings';

type AgendaProps = { days: readonly string[]; month?: string; happenings: ReadonlyMap<string, readonly Happening[]>; today: string; loading: boolean; showProject: boolean; onMove: (happening: Change) => void };

/** A list of the days that have happenings. */
export function Agenda({ days, month, happenings, today, loading, showProject, onMove }: AgendaProps) {
  const t = useTexts('overview').agenda;
  const format = useFormat();
  const shown = days.filter((day) => happenings.has(day) && (month === undefined || day.startsWith(month)));
  if (loading) return <Skeleton />;
  if (shown.length === 0) {
    return (
      <Empty title={t.nothing}>
        <p>{t.how}</p>
      </Empty>
    );
  }
  return (
    <ol className={styles.agenda}>
      {shown.map((day) => (
        <li key={day}>
          <h2>
            {format.calendar.full(day)}
            {day === today && <Chip tone="accent">{t.today}</Chip>}
          </h2>
          <ul>
            {happenings.get(day)!.map((happening) => (
              <HappeningItem key={happening.key} happening={happening} showProject={showProject} onMove={onMove} />
            ))}
          </ul>
        </li>
      ))}
    </ol>
  );
}
