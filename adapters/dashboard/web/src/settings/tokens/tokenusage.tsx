import { $api } from '../../api/client';
import { useFormat } from '../../i18n/format';
import { useTexts } from '../../i18n/language';
import { Problem, Skeleton } from '../../ui/basics';
import styles from './tokens.module.css';

const days = 30;

/** The requests of a token per day, as a chart and as a table. */
export function TokenUsage({ projectId, tokenId }: { projectId: number; tokenId: number }) {
  const t = useTexts('tokens').tokenusage;
  const format = useFormat();
  const usage = $api.useQuery('get', '/api/projects/{projectId}/tokens/{tokenId}/usage', { params: { path: { projectId, tokenId }, query: { days } } });
  if (usage.error) return <Problem error={usage.error} retry={() => void usage.refetch()} />;
  if (!usage.data) return <Skeleton />;
  const data = usage.data.data;
  const reads = data.reduce((sum, day) => sum + day.reads, 0);
  const writes = data.reduce((sum, day) => sum + day.writes, 0);
  if (reads + writes === 0) return <p>{t.unused(days)}</p>;
  const most = Math.max(1, ...data.map((day) => day.reads + day.writes));
  return (
    <>
      <p>{t.sum(format.number(reads + writes), days)}</p>
      <svg className={styles.chart} viewBox={`0 0 ${data.length * 10} 100`} preserveAspectRatio="none" role="img" aria-label={t.chart}>
        {data.map((day, i) => (
          <g key={day.day}>
            <title>{`${format.day(day.day)}: ${format.number(day.reads + day.writes)}`}</title>
            <rect x={i * 10 + 1} width={8} y={100 - (day.reads / most) * 98} height={(day.reads / most) * 98} />
            <rect data-writes x={i * 10 + 1} width={8} y={100 - ((day.reads + day.writes) / most) * 98} height={(day.writes / most) * 98} />
          </g>
        ))}
        <line x1={0} x2={data.length * 10} y1={100} y2={100} />
      </svg>
      <div className={styles.legend}>
        <span>{t.readsCount(format.number(reads))}</span>
        <span data-writes>{t.writesCount(format.number(writes))}</span>
      </div>
      <details>
        <summary>{t.table}</summary>
        <div className={styles.days} tabIndex={0} role="region" aria-label={t.table}>
          <table>
            <thead>
              <tr>
                <th scope="col">{t.day}</th>
                <th scope="col">{t.reads}</th>
                <th scope="col">{t.writes}</th>
              </tr>
            </thead>
            <tbody>
              {data.toReversed().map((day) => (
                <tr key={day.day}>
                  <th scope="row">{format.day(day.day)}</th>
                  <td>{format.number(day.reads)}</td>
                  <td>{format.number(day.writes)}</td>
                </tr>
              ))}
            </tbody>
          </table>
        </div>
      </details>
    </>
  );
}
