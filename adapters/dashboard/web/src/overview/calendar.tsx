import { keepPreviousData } from '@tanstack/react-query';
import { useNavigate, useSearch } from '@tanstack/react-router';
import { ChevronLeft, ChevronRight } from 'lucide-react';
import { lazy, Suspense, useMemo, useState } from 'react';
import { $api } from '../api/client';
import { useProjects } from '../api/queries';
import { useFormat } from '../i18n/format';
import { useTexts } from '../i18n/language';
import { Page } from '../shell/page';
import { Note, Problem, useNow } from '../ui/basics';
import { Button, IconButton } from '../ui/button';
import { Select } from '../ui/forms';
import { Segments } from '../ui/segments';
import { useNarrow } from '../ui/width';
import { Agenda } from './agenda';
import styles from './calendar.module.css';
import { addDays, addMonths, dayOf, monthOf, startOf, weekOf } from './days';
import { byDay, movedTo, type Change } from './happenings';
import { useOverdue } from './overdue';
import { OverdueNote } from './overduenote';
import { DayGrid } from './daygrid';
import type { Moving } from './move';
import { withTexts } from '../texts/load';

const MoveDialog = lazy(() => withTexts(import('./move'), 'review').then((m) => ({ default: m.MoveDialog })));

const most = 500; // schedules per response, the limit of the API

/** The calendar of publications and their ends, scheduled and past, and of overdue requests, by month or week. */
export function CalendarPage() {
  const t = useTexts('overview').calendar;
  const format = useFormat();
  const { timeZone } = format;
  const narrow = useNarrow();
  const projects = useProjects();
  const navigate = useNavigate({ from: '/calendar' });
  const { view, date, project } = useSearch({ from: '/app/calendar' });
  const today = dayOf(useNow(), timeZone);
  const active = date ?? today;

  const days = useMemo(() => (view === 'week' ? weekOf(active) : monthOf(active)), [view, active]);
  const first = days[0]!;
  const last = days.at(-1)!;
  const range = useMemo(() => ({ from: startOf(first, timeZone), to: startOf(addDays(last, 1), timeZone) }), [first, last, timeZone]);
  const { data, error, refetch } = $api.useQuery('get', '/api/schedules', { params: { query: { ...range, project, limit: most } } }, { placeholderData: keepPreviousData, refetchInterval: 60_000 });
  const past = $api.useQuery('get', '/api/schedules', { params: { query: { ...range, project, limit: most, done: true } } }, { placeholderData: keepPreviousData, refetchInterval: 60_000, enabled: first <= today });
  const done = first <= today ? past.data : undefined;
  const { waiting, submitted, requests } = useOverdue(project);
  const happenings = useMemo(() => byDay([...(data?.data ?? []), ...(done?.data ?? [])], timeZone, requests), [data, done, timeZone, requests]);
  const [moving, setMoving] = useState<Moving>();
  const move = (happening: Change, day?: string) => setMoving({ schedule: happening.schedule, to: day && movedTo(happening.schedule.dueAt, day, timeZone) });

  const go = (next: string, focus = false) => void navigate({ search: (now) => ({ ...now, date: next === today ? undefined : next }), replace: focus, resetScroll: false });
  const step = (by: 1 | -1) => go(view === 'week' ? addDays(active, 7 * by) : addMonths(active, by));
  const title = view === 'week' ? t.week(format.calendar.short(first), format.calendar.short(last)) : format.calendar.month(active);

  return (
    <Page title={t.title} width="full">
      <div className={styles.head}>
        <h1 aria-live="polite">{title}</h1>
        <div className={styles.controls}>
          <div className={styles.steps}>
            <IconButton kind="secondary" label={view === 'week' ? t.earlierWeek : t.earlierMonth} icon={<ChevronLeft aria-hidden />} onPress={() => step(-1)} />
            <Button onPress={() => go(today)}>{t.today}</Button>
            <IconButton kind="secondary" label={view === 'week' ? t.laterWeek : t.laterMonth} icon={<ChevronRight aria-hidden />} onPress={() => step(1)} />
          </div>
          <Segments
            label={t.view}
            value={view ?? 'month'}
            onChange={(value) => void navigate({ search: (now) => ({ ...now, view: value === 'week' ? 'week' : undefined }), resetScroll: false })}
            options={[
              { id: 'month', label: t.month },
              { id: 'week', label: t.weekView },
            ]}
          />
          {projects.length > 1 && (
            <Select
              label={t.project}
              hideLabel
              value={String(project ?? 'all')}
              onChange={(value) => void navigate({ search: (now) => ({ ...now, project: value === 'all' ? undefined : Number(value) }), resetScroll: false })}
              options={[{ id: 'all', label: t.all }, ...projects.map((p) => ({ id: String(p.id), label: p.name }))]}
            />
          )}
        </div>
      </div>
      <OverdueNote project={project} waiting={waiting} submitted={submitted} />
      {error && <Problem error={error} retry={() => void refetch()} />}
      {past.error && <Problem error={past.error} retry={() => void past.refetch()} />}
      {(data?.meta.hasMore || done?.meta.hasMore) && <Note tone="wait">{t.more(most)}</Note>}
      {narrow ? (
        <Agenda days={days} month={view === 'week' ? undefined : active.slice(0, 7)} happenings={happenings} today={today} loading={!data} showProject={project === undefined} onMove={move} />
      ) : (
        <DayGrid label={title} days={days} active={active} today={today} month={view === 'week' ? undefined : active.slice(0, 7)} happenings={happenings} showProject={project === undefined && projects.length > 1} onMove={(day) => go(day, true)} onMoveHappening={move} />
      )}
      {!narrow && data && happenings.size === 0 && <p className={styles.zone}>{t.nothing}</p>}
      <p className={styles.zone}>{t.zone(timeZone.replaceAll('_', ' '))}</p>
      {moving && (
        <Suspense fallback={null}>
          <MoveDialog moving={moving} onClose={() => setMoving(undefined)} />
        </Suspense>
      )}
    </Page>
  );
}
