import { useRef } from 'react';
import type { Schemas } from '../api/client';
import { useFormat } from '../i18n/format';
import { useTexts } from '../i18n/language';
import { useWidth } from '../ui/width';
import { ceiling } from './scale';
import styles from './overview.module.css';

type Days = readonly Schemas['PublishedDay'][];

const height = 150; // px of the bars
const foot = 22; // px of the day labels below the bars

/** The number of publications per day, as a bar chart and as a table. */
export function Published({ days }: { days: Days }) {
  const t = useTexts('overview').published;
  const format = useFormat();
  const total = days.reduce((sum, day) => sum + day.count, 0);
  return (
    <section className={styles.section}>
      <header>
        <h2>{t.title}</h2>
        {total > 0 && <p>{t.total(format.number(total), total)}</p>}
      </header>
      {total > 0 ? <Chart days={days} total={total} /> : <p className={styles.none}>{t.none(format.number(days.length))}</p>}
    </section>
  );
}

function Chart({ days, total }: { days: Days; total: number }) {
  const t = useTexts('overview').published;
  const format = useFormat();
  const box = useRef<HTMLDivElement>(null);
  const width = useWidth(box);
  const top = ceiling(Math.max(0, ...days.map((day) => day.count)));
  const side = 12 + 7 * format.number(top).length; // px of the axis labels
  const step = (width - side) / Math.max(1, days.length);
  const bar = Math.max(1, Math.min(28, step * 0.72));
  const y = (count: number) => height - (count / top) * (height - 8);
  const labelled = days.length <= 7 ? 1 : Math.ceil(days.length / (width < 420 ? 3 : 6));
  return (
    <>
      <div ref={box} className={styles.chart}>
        {width > 0 && (
          <svg width={width} height={height + foot} role="img" aria-label={t.chart(format.number(total), days.length)}>
            {[0, top / 2, top].map((count) => (
              <g key={count}>
                <line x1={side} x2={width} y1={y(count)} y2={y(count)} />
                <text x={side - 8} y={y(count) + 4} textAnchor="end">
                  {format.number(count)}
                </text>
              </g>
            ))}
            {days.map((day, i) => (
              <g key={day.day}>
                <rect className={styles.hit} x={side + i * step} y={0} width={step} height={height}>
                  <title>{`${format.calendar.full(day.day)}: ${format.number(day.count)}`}</title>
                </rect>
                {day.count > 0 && <rect className={styles.bar} x={side + i * step + (step - bar) / 2} y={y(day.count)} width={bar} height={height - y(day.count)} rx={Math.min(3, bar / 3)} />}
                {(days.length - 1 - i) % labelled === 0 && (
                  <text x={Math.min(width - 18, side + i * step + step / 2)} y={height + 17} textAnchor="middle">
                    {format.calendar.short(day.day)}
                  </text>
                )}
              </g>
            ))}
          </svg>
        )}
      </div>
      <details className={styles.behind}>
        <summary>{t.table}</summary>
        <table className={styles.table}>
          <thead>
            <tr>
              <th scope="col">{t.day}</th>
              <th scope="col">{t.count}</th>
            </tr>
          </thead>
          <tbody>
            {days.toReversed().map((day) => (
              <tr key={day.day}>
                <th scope="row">{format.calendar.full(day.day)}</th>
                <td>{format.number(day.count)}</td>
              </tr>
            ))}
          </tbody>
        </table>
      </details>
    </>
  );
}
