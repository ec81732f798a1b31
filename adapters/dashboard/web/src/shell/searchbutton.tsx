import { Search } from 'lucide-react';
import { lazy, Suspense, useMemo } from 'react';
import { Button as AriaButton } from 'react-aria-components';
import { useTexts } from '../i18n/language';
import { Kbd } from '../ui/button';
import { useShortcuts } from '../ui/shortcuts';
import { setSearchOpen, useSearchOpen } from './searchopen';
import styles from './shell.module.css';

/** A button that opens the global search. small: only the icon. */
export function SearchButton({ small }: { small: boolean }) {
  const t = useTexts('common').searchbutton;
  return (
    <AriaButton className={styles.search!} data-small={small || undefined} aria-label={t.search} onPress={() => setSearchOpen(true)}>
      <Search aria-hidden />
      <span>{t.search}</span>
      <Kbd aria-hidden>/</Kbd>
    </AriaButton>
  );
}

const SearchDialog = lazy(() => import('./searchdialog'));

/** The global search while it is open. Render it once per application. */
export function SearchEverything() {
  const t = useTexts('common').searchbutton;
  const isOpen = useSearchOpen();
  useShortcuts(useMemo(() => [{ key: '/', label: t.search, run: () => setSearchOpen(true) }], [t]));
  return isOpen ? (
    <Suspense>
      <SearchDialog />
    </Suspense>
  ) : null;
}
