import { Braces } from 'lucide-react';
import { lazy, Suspense, useState } from 'react';
import { useTexts } from '../i18n/language';
import { withTexts } from '../texts/load';
import { Skeleton } from '../ui/basics';
import { Button } from '../ui/button';
import { CloseButton, Dialog } from '../ui/overlays';
import type { ApiPanelProps } from './apipanel';
import styles from './api.module.css';

const ApiPanel = lazy(() => withTexts(import('./apipanel'), 'content'));

/** Opens a dialog with the API request for the content of the page: a list or one entry. */
export function ApiButton(props: ApiPanelProps) {
  const t = useTexts('common').apibutton;
  const [isOpen, setOpen] = useState(false);
  return (
    <>
      <Button kind="quiet" aria-label={t.label} icon={<Braces aria-hidden />} onPress={() => setOpen(true)} />
      <Dialog title={t.title} size="large" isOpen={isOpen} onClose={() => setOpen(false)}>
        <div className={styles.panel}>
          <Suspense fallback={<Skeleton />}>
            <ApiPanel {...props} />
          </Suspense>
        </div>
        <footer>
          <CloseButton />
        </footer>
      </Dialog>
    </>
  );
}
