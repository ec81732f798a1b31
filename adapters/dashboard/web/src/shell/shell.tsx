import { Outlet } from '@tanstack/react-router';
import { lazy, Suspense, useState } from 'react';
import { useSessionEnded } from '../api/session';
import { useTexts } from '../i18n/language';
import { Shortcuts } from '../ui/shortcuts';
import { Toasts } from '../ui/toast';
import { useMedia } from '../ui/usemedia';
import { Side } from './navigation';
import { Paused } from './paused';
import styles from './shell.module.css';
import { SearchEverything } from './searchbutton';

// Loaded on demand: few sessions end while a page is open.
const SignInAgain = lazy(() => import('./signinagain').then((m) => ({ default: m.SignInAgain })));

/** The frame around all pages. */
export function Shell() {
  const t = useTexts('common').shell;
  const [keysShown, showKeys] = useState(false);
  const ended = useSessionEnded();
  const narrow = useMedia('(max-width: 760px)');
  return (
    <>
      <a className={styles.skip} href="#content">
        {t.skip}
      </a>
      <div className={styles.app}>
        <div className={styles.column}>
          <Side />
          {!narrow && <Toasts />}
        </div>
        <main className={styles.main} id="content" tabIndex={-1}>
          {narrow && (
            <div className={styles.above}>
              <Toasts />
            </div>
          )}
          <Suspense>
            <Paused />
          </Suspense>
          <Outlet />
        </main>
      </div>
      <Shortcuts isOpen={keysShown} setOpen={showKeys} />
      <SearchEverything />
      {ended && (
        <Suspense>
          <SignInAgain />
        </Suspense>
      )}
    </>
  );
}
