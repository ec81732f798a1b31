import { Link } from '@tanstack/react-router';
import type { Schemas } from '../api/client';
import { useFormat } from '../i18n/format';
import { useTexts } from '../i18n/language';
import { Chip, Time, useNow } from '../ui/basics';
import styles from './overview.module.css';
import { isStuck } from './stuck';

/** The waiting requests at each step of the workflow, and the median duration of the step. */
export function Waiting({ projectId, steps, days }: { projectId: number; steps: readonly Schemas['WaitingStep'][]; days: number }) {
  const t = useTexts('overview').waiting;
  const format = useFormat();
  const now = useNow();
  if (steps.length === 0) return null;
  return (
    <section className={styles.section}>
      <header>
        <h2>{t.title}</h2>
        <Link to="/inbox" search={{ project: projectId }}>
          {t.inbox}
        </Link>
      </header>
      <ol className={styles.steps}>
        {steps.map((step) => {
          const stuck = isStuck(step, now);
          return (
            <li key={`${step.stepOrder} ${step.label}`} data-stuck={stuck || undefined}>
              <h3>{step.label || t.step(step.stepOrder)}</h3>
              <p className={styles.figure}>
                {format.number(step.count)} <small>{t.waiting(step.count)}</small>
              </p>
              <dl className={styles.pairs}>
                <div>
                  <dt>{t.oldest}</dt>
                  <dd>
                    <Time value={step.oldestSince} as="duration" />
                  </dd>
                </div>
                <div>
                  <dt>{t.usually}</dt>
                  <dd>{step.medianSeconds === null ? t.none(days) : step.medianSeconds < 60 ? t.moment : format.duration(new Date(now - step.medianSeconds * 1000).toISOString(), now)}</dd>
                </div>
              </dl>
              {stuck && <Chip tone="bad">{t.stuck}</Chip>}
            </li>
          );
        })}
      </ol>
    </section>
  );
}
