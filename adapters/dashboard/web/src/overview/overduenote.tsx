import { Link } from '@tanstack/react-router';
import { useFormat } from '../i18n/format';
import { useTexts } from '../i18n/language';
import { Note } from '../ui/basics';

/** How many requests of the user are overdue, with links to them. */
export function OverdueNote({ project, waiting, submitted }: { project?: number; waiting: number; submitted: number }) {
  const t = useTexts('overview').overdue;
  const format = useFormat();
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
