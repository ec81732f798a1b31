import { useParams, type ErrorComponentProps } from '@tanstack/react-router';
import { useEffect, useState } from 'react';
import type { Schemas } from '../api/client';
import { ApiError, isUnloaded } from '../api/error';
import { queryClient, sessionQuery } from '../api/queries';
import { copiesOf, copyKey, type Copy } from '../editor/backup';
import { useFormat } from '../i18n/format';
import { useTexts } from '../i18n/language';
import { Empty, Note, Problem } from '../ui/basics';
import { Button, ButtonLink } from '../ui/button';
import { Page, PageHead } from './page';
import styles from './shell.module.css';

/** Shown instead of a page that failed to load or render. */
export function Failed({ error, reset }: ErrorComponentProps) {
  const t = useTexts('common').failed;
  if (error instanceof ApiError && error.status === 404) return <NotFound />;
  if (!(error instanceof ApiError)) return <Broken error={error} />;
  return (
    <Page title={t.failed}>
      <Problem error={error} retry={reset} />
    </Page>
  );
}

/** Shown instead of a page whose code failed or is missing. Rendering it again would fail again. */
function Broken({ error }: { error: unknown }) {
  const t = useTexts('common').failed;
  const title = isUnloaded(error) ? t.failed : t.broken;
  return (
    <Page title={title} width="text">
      <PageHead title={title} />
      <div className={styles.failed}>
        <Note tone="bad" role="alert">
          {isUnloaded(error) ? t.unloaded : t.brokenWhy}
        </Note>
        <Kept />
        <Button kind="primary" onPress={() => location.reload()}>
          {t.reload}
        </Button>
      </div>
    </Page>
  );
}

/** What the user typed on the page and this device keeps. */
function Kept() {
  const t = useTexts('common').failed;
  const format = useFormat();
  const { entryId, collectionId } = useParams({ strict: false });
  const user = queryClient.getQueryData<Schemas['Session']>(sessionQuery.queryKey)?.id;
  const [copy, setCopy] = useState<Copy>();
  useEffect(() => {
    if (user === undefined || collectionId === undefined) return;
    const newest = (copies: Copy[]) => setCopy(copies.sort((a, b) => b.at - a.at)[0]);
    const key = entryId === undefined ? `${user} new ${collectionId} ` : copyKey(user, entryId);
    void copiesOf(key).then((copies) => newest(entryId === undefined ? copies : copies.filter((one) => one.key === key)));
  }, [user, entryId, collectionId]);
  if (!copy) return null;
  const text = JSON.stringify({ at: new Date(copy.at).toISOString(), fields: copy.fields, texts: copy.texts }, null, 2);
  return (
    <Note tone="wait" role="status">
      {t.kept(format.dateTime(new Date(copy.at).toISOString()))}{' '}
      <a href={`data:application/json;charset=utf-8,${encodeURIComponent(text)}`} download="kept.json">
        {t.download}
      </a>
    </Note>
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
