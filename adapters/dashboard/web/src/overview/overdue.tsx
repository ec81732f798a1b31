import { Link } from '@tanstack/react-router';
import { $api } from '../api/client';
import { useFormat } from '../i18n/format';
import { useTexts } from '../i18n/language';
import { Note } from '../ui/basics';

/** How many requests of the user are past a deadline or their time: those that wait for the user, and those it submitted. */
export function Overdue({ project }: { project?: number }) {
  const t = useTexts('overview').overdue;
  const format = useFormat();
  const query = { overdue: 'true' as const, project, perPage: 1 };
  const waiting = $api.useQuery('get', '/api/approvals/pending', { params: { query } }, { refetchInterval: 60_000 }).data?.meta.total ?? 0;
  const submitted = $api.useQuery('get', '/api/approvals/submitted', { params: { query } }, { refetchInterval: 60_000 }).data?.meta.total ?? 0;
  if (waiting + submitted === 0) return null;
  return (
    <Note tone="wait">
      {waiting > 0 && (
        <Link to="/inbox" search={{ project, overdue: true, sort: 'due' }}>
          {t.waiting(waiting, format.number(waiting))}
        </Link>
      )}{' '}
      {submitted > 0 && (
        <Link to="/inbox" search={{ tab: 'submitted', project, overdue: true, sort: 'due' }}>
          {t.submitted(submitted, format.number(submitted))}
        </Link>
      )}
    </Note>
  );
}
