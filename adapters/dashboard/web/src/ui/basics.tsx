import { CircleAlert, Info, TriangleAlert, WifiOff } from 'lucide-react';
import { Fragment, useEffect, useState, type ReactNode } from 'react';
import { asApiError, type ApiError } from '../api/error';
import { Said } from '../faults/said';
import { useFormat } from '../i18n/format';
import { useTexts } from '../i18n/language';
import { Button } from './button';
import styles from './ui.module.css';

export type Tone = 'neutral' | 'good' | 'wait' | 'bad' | 'accent';

/** A short status label. plain: without the dot. */
export function Chip({ tone = 'neutral', plain, children }: { tone?: Tone; plain?: boolean; children: ReactNode }) {
  return (
    <span className={styles.chip} data-tone={tone} data-plain={plain || undefined}>
      {children}
    </span>
  );
}

const noteIcons = { neutral: Info, accent: Info, good: Info, wait: TriangleAlert, bad: CircleAlert };

/** A note on the page. With the role "alert", screen readers announce it when it appears. */
export function Note({ tone = 'neutral', icon, role, children }: { tone?: Tone; icon?: ReactNode; role?: 'alert' | 'status'; children: ReactNode }) {
  const Icon = noteIcons[tone];
  return (
    <div className={styles.note} data-tone={tone} role={role}>
      {icon ?? <Icon aria-hidden />}
      <div>{children}</div>
    </div>
  );
}

/** The initials of a user as an avatar. */
export function Avatar({ name }: { name: string }) {
  const parts = name.trim().split(/\s+/);
  return (
    <span className={styles.avatar} aria-hidden>
      {((parts[0]?.[0] ?? '') + (parts.length > 1 ? (parts.at(-1)?.[0] ?? '') : '')).toUpperCase()}
    </span>
  );
}

/** Shown instead of an empty list, with the possible next action. */
export function Empty({ title, children }: { title: string; children?: ReactNode }) {
  return (
    <div className={styles.empty}>
      <h2>{title}</h2>
      {children}
    </div>
  );
}

/** Monospaced text for identifiers, hashes and release numbers. */
export const Mono = ({ children }: { children: ReactNode }) => <span className={styles.mono}>{children}</span>;

/** A placeholder until the data of a page is loaded. */
export function Skeleton() {
  const t = useTexts('common').basics;
  return (
    <div className={styles.skeleton} role="status" aria-label={t.loading}>
      <i />
      <i />
      <i />
      <i />
    </div>
  );
}

/**
 * A time. Relative text is updated while the page is open. The title is the exact time. It is set
 * when the pointer enters the element, because formatting the first one is slow.
 */
export function Time({ value, as = 'relative' }: { value: string; as?: 'relative' | 'date' | 'dateTime' | 'time' | 'duration' | 'planned' }) {
  const format = useFormat();
  const now = useNow(as === 'relative' || as === 'duration' || as === 'planned');
  const text = as === 'relative' || as === 'duration' || as === 'planned' ? format[as](value, now) : format[as](value);
  return (
    <time dateTime={value} onPointerEnter={({ currentTarget }) => (currentTarget.title = format.exact(value))}>
      {text}
    </time>
  );
}

/** The current time in milliseconds, updated every 30 s while active. */
export function useNow(active = true) {
  const [now, setNow] = useState(Date.now);
  useEffect(() => {
    if (!active) return;
    const timer = setInterval(() => setNow(Date.now()), 30_000);
    return () => clearInterval(timer);
  }, [active]);
  return now;
}

/** One sentence with the reason of a failed request. */
function Reason({ problem }: { problem: ApiError }) {
  const t = useTexts('common').basics;
  const own = { 0: t.offline, 403: t.forbidden, 404: t.missing }[problem.status];
  return <Said code={problem.code} text={own ?? (problem.status >= 500 || problem.status < 0 ? t.failed : problem.message)} />;
}

/** An error in one line: the faults of the values, or else the reason. */
export function ProblemLine({ error }: { error: unknown }) {
  const problem = asApiError(error);
  if (problem.code !== 'invalid' || problem.faults.length === 0) return <Reason problem={problem} />;
  return problem.faults.map((fault, i) => (
    <Fragment key={fault.location + fault.message}>
      {i > 0 && '; '}
      {fault.location.replace(/^fields\./, '')} <Said text={fault.message} />
    </Fragment>
  ));
}

/** Shows the error of a failed request, with a button for retry if the same request may succeed later. */
export function Problem({ error, retry }: { error: unknown; retry?: () => void }) {
  const t = useTexts('common').basics;
  const problem = asApiError(error);
  return (
    <Note tone="bad" role="alert" icon={problem.status === 0 ? <WifiOff aria-hidden /> : undefined}>
      <Reason problem={problem} />
      {problem.faults.length > 0 && (
        <ul>
          {problem.faults.map((fault) => (
            <li key={fault.location + fault.message}>
              {fault.location}: <Said text={fault.message} />
            </li>
          ))}
        </ul>
      )}
      {problem.status >= 500 && problem.problem.requestId && (
        <p>
          <Mono>{t.reference(problem.problem.requestId)}</Mono>
        </p>
      )}
      {retry && problem.temporary && (
        <p>
          <Button kind="quiet" onPress={retry}>
            {t.retry}
          </Button>
        </p>
      )}
    </Note>
  );
}
