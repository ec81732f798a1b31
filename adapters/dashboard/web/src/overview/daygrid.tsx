import { Link, useSearch } from '@tanstack/react-router';
import { useEffect, useRef, useState, type DragEvent, type KeyboardEvent } from 'react';
import { useFormat } from '../i18n/format';
import { useTexts } from '../i18n/language';
import styles from './calendar.module.css';
import { movedDay } from './days';
import { dragged, HappeningItem } from './happening';
import { isMovable, type Change, type Happening } from './happenings';

type DayGridProps = {
  label: string;
  days: readonly string[];
  /** The day that has or receives the keyboard focus. */
  active: string;
  today: string;
  /** The month that is shown; undefined in the week view, which shows all happenings of a day. */
  month?: string;
  happenings: ReadonlyMap<string, readonly Happening[]>;
  showProject: boolean;
  onMove: (day: string) => void;
  /** A happening is to get another time, at a day on which it was dropped. */
  onMoveHappening: (happening: Change, day?: string) => void;
};

const mostInMonth = 4; // lines per day

/** A grid of days, one row per week. Arrow keys move between days; Enter enters a day, Escape leaves it. */
export function DayGrid({ label, days, active, today, month, happenings, showProject, onMove, onMoveHappening }: DayGridProps) {
  const format = useFormat();
  const grid = useRef<HTMLDivElement>(null);
  const takeFocus = useRef(false);
  useEffect(() => {
    if (!takeFocus.current) return;
    takeFocus.current = false;
    grid.current?.querySelector<HTMLElement>(`[data-day="${active}"]`)?.focus();
  }, [active]);

  const onKeyDown = (event: KeyboardEvent<HTMLDivElement>) => {
    if (event.altKey || event.ctrlKey || event.metaKey || !(event.target instanceof HTMLElement)) return;
    const cell = event.target.closest<HTMLElement>('[data-day]');
    if (event.key === 'Escape') cell?.focus();
    if (event.target !== cell) return; // the links inside a day handle their own keys
    if (event.key === 'Enter') {
      event.preventDefault();
      return cell.querySelector('a')?.focus();
    }
    const next = movedDay(event.key, event.shiftKey, active);
    if (next === undefined) return;
    event.preventDefault();
    takeFocus.current = true;
    onMove(next);
  };

  const onDrop = (event: DragEvent, day: string) => {
    const key = event.dataTransfer.getData(dragged);
    const happening = [...happenings.values()].flat().find((one) => one.key === key);
    if (!happening || !isMovable(happening)) return;
    event.preventDefault();
    onMoveHappening(happening, day);
  };

  const weeks = Array.from({ length: days.length / 7 }, (_, i) => days.slice(i * 7, i * 7 + 7));
  return (
    <div ref={grid} className={styles.grid} role="grid" aria-label={label} data-view={month ? 'month' : 'week'} onKeyDown={onKeyDown}>
      <div role="row" className={styles.weekdays}>
        {weeks[0]!.map((day) => (
          <span key={day} role="columnheader">
            {format.calendar.weekday(day)}
          </span>
        ))}
      </div>
      {weeks.map((week) => (
        <div key={week[0]} role="row" className={styles.week}>
          {week.map((day) => (
            <Day
              key={day}
              day={day}
              isActive={day === active}
              isToday={day === today}
              isOutside={month !== undefined && !day.startsWith(month)}
              list={happenings.get(day) ?? []}
              most={month ? mostInMonth : Infinity}
              showProject={showProject}
              onMove={onMoveHappening}
              onDrop={onDrop}
            />
          ))}
        </div>
      ))}
    </div>
  );
}

type DayProps = { day: string; isActive: boolean; isToday: boolean; isOutside: boolean; list: readonly Happening[]; most: number; showProject: boolean; onMove: (happening: Change) => void; onDrop: (event: DragEvent, day: string) => void };

function Day({ day, isActive, isToday, isOutside, list, most, showProject, onMove, onDrop }: DayProps) {
  const t = useTexts('overview').daygrid;
  const format = useFormat();
  const { project } = useSearch({ from: '/app/calendar' });
  const [isOver, setOver] = useState(false);
  // The line with the number of hidden happenings needs one of the lines.
  const shown = list.length > most ? list.slice(0, most - 1) : list;
  return (
    <div
      role="gridcell"
      className={styles.day}
      data-day={day}
      data-today={isToday || undefined}
      data-outside={isOutside || undefined}
      aria-current={isToday ? 'date' : undefined}
      tabIndex={isActive ? 0 : -1}
      data-over={isOver || undefined}
      onDragOver={(event) => {
        if (!event.dataTransfer.types.includes(dragged)) return;
        event.preventDefault();
        setOver(true);
      }}
      onDragLeave={() => setOver(false)}
      onDrop={(event) => {
        setOver(false);
        onDrop(event, day);
      }}
    >
      <span className="visually-hidden">{`${format.calendar.full(day)}: ${list.length === 0 ? t.nothing : t.count(list.length)}`}</span>
      <span className={styles.number} aria-hidden>
        {format.calendar.number(day) === format.calendar.number(`${day.slice(0, 8)}01`) ? format.calendar.short(day) : format.calendar.number(day)}
      </span>
      {list.length > 0 && (
        <ul>
          {shown.map((happening) => (
            <HappeningItem key={happening.key} happening={happening} showProject={showProject} onMove={onMove} />
          ))}
          {shown.length < list.length && (
            <li>
              <Link className={styles.more} to="/calendar" search={{ view: 'week', date: day, project }}>
                {t.more(list.length - shown.length)}
              </Link>
            </li>
          )}
        </ul>
      )}
    </div>
  );
}
