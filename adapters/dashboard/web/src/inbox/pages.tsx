import { useTexts } from '../i18n/language';
import { Empty } from '../ui/basics';
import { ButtonLink } from '../ui/button';
import styles from './inbox.module.css';
import { rowsPerPage } from './queries';
import type { InboxSearch } from './search';

/** Links to the previous and the next page. */
export function Pages({ search, total }: { search: InboxSearch; total: number }) {
  const t = useTexts('inbox').pages;
  const page = search.page ?? 1;
  const last = Math.ceil(total / rowsPerPage);
  if (last <= 1) return null;
  const to = (n: number) => ({ ...search, page: n === 1 ? undefined : n });
  return (
    <nav className={styles.pages} aria-label={t.pages}>
      {page > 1 && (
        <ButtonLink to="/inbox" search={to(page - 1)}>
          {t.previous}
        </ButtonLink>
      )}
      <span>{t.pageOf(page, last)}</span>
      {page < last && (
        <ButtonLink to="/inbox" search={to(page + 1)}>
          {t.next}
        </ButtonLink>
      )}
    </nav>
  );
}

/** Shown for a page after the last one, for example after the requests on it were decided. */
export function NoPage({ search }: { search: InboxSearch }) {
  const t = useTexts('inbox').pages;
  return (
    <Empty title={t.noPage}>
      <ButtonLink to="/inbox" search={{ ...search, page: undefined }}>
        {t.firstPage}
      </ButtonLink>
    </Empty>
  );
}
