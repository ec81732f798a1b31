import { Outlet } from '@tanstack/react-router';
import { useState } from 'react';
import { useTexts } from '../i18n/language';
import { Shortcuts } from '../ui/shortcuts';
import { Toasts } from '../ui/toast';
import { Side } from './navigation';
import styles from './shell.module.css';
import { SearchEverything } from './searchbutton';
import { SignInAgain } from './signinagain';

/** The frame around all pages. */
export function Shell() {
  const t = useTexts('common').shell;
  const [keysShown, showKeys] = useState(false);
  return (
    <>
      <a className={styles.skip} href="#content">
        {t.skip}
      </a>
      <div className={styles.app}>
        <Side />
        <main className={styles.main} id="content" tabIndex={-1}>
          <Outlet />
        </main>
      </div>
      <Shortcuts isOpen={keysShown} setOpen={showKeys} />
      <SearchEverything />
      <SignInAgain />
      <Toasts />
    </>
  );
}
