import { useQuery } from '@tanstack/react-query';
import { Bell as BellIcon } from 'lucide-react';
import { lazy, Suspense, useRef, useState } from 'react';
import { Button as AriaButton } from 'react-aria-components';
import { noticeSummaryQuery } from '../api/queries';
import { useFormat } from '../i18n/format';
import { useTexts } from '../i18n/language';
import { withTexts } from '../texts/load';
import styles from './shell.module.css';

const Panel = lazy(() => withTexts(import('../notices/panel'), 'notices'));

/** The button that opens the notices, with the number of unread ones. */
export function Bell() {
  const t = useTexts('common').bell;
  const format = useFormat();
  const bell = useRef<HTMLButtonElement>(null);
  const [isOpen, setOpen] = useState(false);
  const unread = useQuery(noticeSummaryQuery).data?.unread ?? 0;
  const shown = unread > 99 ? '99+' : format.number(unread); // the name of a button has the text on it
  return (
    <>
      <AriaButton
        ref={bell}
        className={styles.bell!}
        aria-label={unread > 0 ? t.unread(shown) : t.notices}
        aria-haspopup="dialog"
        aria-expanded={isOpen}
        onPress={() => setOpen(true)}
      >
        <BellIcon aria-hidden />
        {unread > 0 && <span aria-hidden>{shown}</span>}
      </AriaButton>
      {isOpen && (
        <Suspense fallback={null}>
          <Panel bell={bell} onClose={() => setOpen(false)} />
        </Suspense>
      )}
    </>
  );
}
