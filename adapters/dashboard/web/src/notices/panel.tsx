import { Link } from '@tanstack/react-router';
import type { RefObject } from 'react';
import { Popover } from 'react-aria-components';
import { useTexts } from '../i18n/language';
import { CloseButton } from '../ui/overlays';
import ui from '../ui/ui.module.css';
import { NoticeList, ReadAll } from './list';
import styles from './notices.module.css';

/** The notices below the bell. */
export default function Panel({ bell, onClose }: { bell: RefObject<HTMLButtonElement | null>; onClose: () => void }) {
  const t = useTexts('notices').panel;
  return (
    <Popover aria-label={t.title} className={`${ui.popover} ${styles.panel}`} triggerRef={bell} isOpen onOpenChange={(open) => !open && onClose()} placement="bottom end">
      <header>
        <h2>{t.title}</h2>
        <ReadAll />
        <CloseButton onPress={onClose} />
      </header>
      <NoticeList onOpen={onClose} />
      <footer>
        <Link to="/notices" onClick={onClose}>
          {t.all}
        </Link>
        <Link to="/account" hash="notices" onClick={onClose}>
          {t.settings}
        </Link>
      </footer>
    </Popover>
  );
}
