import { useTexts } from '../i18n/language';
import { Checkbox } from '../ui/forms';
import { Sortable } from '../ui/sortable';
import { useColumnLabel } from './columnlabel';
import { columnNames, columnsOf } from './columns';
import { readable, systemFields, type Collection } from './fields';
import styles from './table.module.css';

type ListProps = { collection: Collection; columns: string | undefined; onChange: (columns: string) => void };

/** The columns of the table, in order, followed by the columns that it does not show. */
export default function ColumnList({ collection, columns, onChange }: ListProps) {
  const t = useTexts('content').columnlist;
  const label = useColumnLabel();
  const [first, ...shown] = columnsOf(collection, columns).map((c) => c.name);
  const hidden = columnNames(collection).filter((name) => name !== first && !shown.includes(name));
  const nameOf = (name: string) => label({ name, field: [...systemFields, ...readable(collection)].find((f) => f.name === name) });
  const set = (names: string[]) => onChange([first, ...names].join(','));
  return (
    <div className={styles.columns}>
      <Checkbox isSelected isDisabled onChange={() => {}}>
        {nameOf(first!)}
      </Checkbox>
      <Sortable label={t.shown} items={shown.map((id) => ({ id }))} nameOf={({ id }) => nameOf(id)} onOrder={(items) => set(items.map(({ id }) => id))}>
        {({ id }) => (
          <span className={styles.column}>
            <Checkbox isSelected onChange={() => set(shown.filter((name) => name !== id))}>
              {nameOf(id)}
            </Checkbox>
          </span>
        )}
      </Sortable>
      {hidden.map((name) => (
        <Checkbox key={name} isSelected={false} onChange={() => set([...shown, name])}>
          {nameOf(name)}
        </Checkbox>
      ))}
    </div>
  );
}
