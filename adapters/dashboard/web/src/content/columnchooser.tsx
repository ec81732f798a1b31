import { Columns3 } from 'lucide-react';
import { lazy, Suspense } from 'react';
import { useTexts } from '../i18n/language';
import { Skeleton } from '../ui/basics';
import { Button } from '../ui/button';
import { Popover } from '../ui/popover';
import type { Collection } from './fields';
import styles from './table.module.css';

// Loaded lazily, because the table does not need the code for drag and drop.
const ColumnList = lazy(() => import('./columnlist'));

type ChooserProps = { collection: Collection; columns: string | undefined; onChange: (columns: string | undefined) => void };

/** Chooses the columns of the table and their order. */
export function ColumnChooser({ collection, columns, onChange }: ChooserProps) {
  const t = useTexts('content').columnchooser;
  return (
    <Popover
      label={t.columns}
      trigger={
        <Button icon={<Columns3 aria-hidden />}>
          <span className={styles.word}>{t.columns}</span>
        </Button>
      }
    >
      {() => (
        <>
          <Suspense fallback={<Skeleton />}>
            <ColumnList collection={collection} columns={columns} onChange={onChange} />
          </Suspense>
          <Button kind="quiet" isDisabled={columns === undefined} onPress={() => onChange(undefined)}>
            {t.reset}
          </Button>
        </>
      )}
    </Popover>
  );
}
