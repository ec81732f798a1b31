import { type ErrorComponentProps } from '@tanstack/react-router';
import { useTexts } from '../i18n/language';
import { ApiError } from '../api/error';
import { Empty, Problem } from '../ui/basics';
import { ButtonLink } from '../ui/button';
import { Page } from './page';

/** Shown instead of a page that failed to load or render. */
export function Failed({ error, reset }: ErrorComponentProps) {
  const t = useTexts('common').failed;
  if (error instanceof ApiError && error.status === 404) return <NotFound />;
  return (
    <Page title={t.failed}>
      <Problem error={error} retry={reset} />
    </Page>
  );
}

/** Shown at a path without a page. */
export function NotFound() {
  const t = useTexts('common').failed;
  return (
    <Page title={t.missing}>
      <Empty title={t.missing}>
        <p>{t.why}</p>
        <ButtonLink to="/inbox">{t.back}</ButtonLink>
      </Empty>
    </Page>
  );
}
