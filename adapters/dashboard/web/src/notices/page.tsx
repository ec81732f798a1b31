import { Link } from '@tanstack/react-router';
import { useTexts } from '../i18n/language';
import { Page, PageHead } from '../shell/page';
import { NoticeList, ReadAll } from './list';
import styles from './notices.module.css';

/** All notices of the user. */
export function NoticesPage() {
  const t = useTexts('notices').panel;
  return (
    <Page title={t.title} width="text">
      <PageHead
        title={t.title}
        lead={
          <>
            {t.lead}{' '}
            <Link to="/account" hash="notices" className={styles.link!}>
              {t.settings}
            </Link>
          </>
        }
      >
        <ReadAll />
      </PageHead>
      <NoticeList />
    </Page>
  );
}
