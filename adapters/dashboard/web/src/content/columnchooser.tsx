import { Columns3 } from 'lucide-react';
import { texts, useTexts } from '../i18n/language';
import { Button } from '../ui/button';
import { Checkbox } from '../ui/forms';
import { Popover } from '../ui/popover';
import { columnNames, columnsOf } from './columns';
import { readable, systemFields, type Collection } from './fields';
import { useColumnLabel } from './columnlabel';
import styles from './table.module.css';

type ChooserProps = { collection: Collection; columns: string | undefined; onChange: (columns: string | undefined) => void };

/** Chooses the columns of the table. */
export function ColumnChooser({ collection, columns, onChange }: ChooserProps) {
  const t = useTexts(words);
  const label = useColumnLabel();
  const names = columnNames(collection);
  const shown = columnsOf(collection, columns).map((c) => c.name);
  const field = (name: string) => [...systemFields, ...readable(collection)].find((f) => f.name === name);
  const toggle = (name: string, selected: boolean) => onChange(names.filter((n) => (n === name ? selected : shown.includes(n))).join(','));
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
          <div className={styles.columns}>
            {names.map((name) => (
              <Checkbox key={name} isSelected={shown.includes(name)} isDisabled={name === names[0]} onChange={(selected) => toggle(name, selected)}>
                {label({ name, field: field(name) })}
              </Checkbox>
            ))}
          </div>
          <Button kind="quiet" isDisabled={columns === undefined} onPress={() => onChange(undefined)}>
            {t.reset}
          </Button>
        </>
      )}
    </Popover>
  );
}

const words = texts({ en: { columns: 'Columns', reset: 'Default columns' }, de: { columns: 'Spalten', reset: 'Übliche Spalten' } });
