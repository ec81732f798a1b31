import { Link } from '@tanstack/react-router';
import { memo, type MouseEvent, type ReactNode } from 'react';
import type { Schemas } from '../api/client';
import { useFormat } from '../i18n/format';
import { useTexts } from '../i18n/language';
import { Time } from '../ui/basics';
import { SelectBox } from '../ui/selectbox';
import { FieldValue } from './cell';
import type { Column } from './columns';
import { titleOf, type Collection, type ManagedEntry } from './fields';
import { StatusChip } from './statuschip';
import styles from './table.module.css';

type ItemProps = {
  index: number;
  /** The distance from the top of the list in pixels. */
  start: number;
  /** undefined: not loaded. */
  entry: ManagedEntry | undefined;
  project: Schemas['Project'];
  collection: Collection;
  /** undefined: entries cannot be selected. */
  selected: boolean | undefined;
  /** range: select from the last one to this one. */
  onToggle: (index: number, range: boolean) => void;
};

type RowProps = ItemProps & {
  active: boolean;
  columns: readonly Column[];
  /** The value of grid-template-columns. */
  template: string;
  titles: ReadonlyMap<number, string>;
  onClick: (event: MouseEvent, index: number) => void;
};

/** One entry in the table. It is memoized, because scrolling renders the table many times. */
export const Row = memo(function Row(props: RowProps) {
  const { index, start, entry, project, collection, selected, active, columns, template, titles, onClick } = props;
  const t = useTexts('content').row;
  return (
    <div
      id={`row-${index}`}
      role="row"
      aria-rowindex={index + 2}
      aria-selected={entry && selected}
      className={styles.row}
      data-active={active || undefined}
      data-link={entry && true}
      style={{ gridTemplateColumns: template, transform: `translateY(${start}px)` }}
      onClick={(event) => onClick(event, index)}
    >
      {selected !== undefined && (
        <div role="gridcell" className={styles.check}>
          <Check {...props} inTabOrder={false} />
        </div>
      )}
      {columns.map((column, i) => (
        <div key={column.name} role={i === 0 ? 'rowheader' : 'gridcell'} data-type={column.field?.type} data-first={i === 0 || undefined}>
          {!entry ? (
            <i className={styles.blank}>{i === 0 && <span className="visually-hidden">{t.loading}</span>}</i>
          ) : i === 0 ? (
            <Title entry={entry} project={project} collection={collection} inTabOrder={false}>
              {column.name === 'id' ? undefined : <Value column={column} entry={entry} project={project} titles={titles} otherwise={t.untitled(entry.id)} />}
            </Title>
          ) : (
            <Value column={column} entry={entry} project={project} titles={titles} />
          )}
        </div>
      ))}
    </div>
  );
});

/** One entry as a card, for narrow screens. */
export const Card = memo(function Card(props: ItemProps & { count: number }) {
  const { index, start, entry, project, collection, count } = props;
  const format = useFormat();
  return (
    <li className={styles.card} style={{ transform: `translateY(${start}px)` }} aria-setsize={count} aria-posinset={index + 1}>
      {entry ? (
        <>
          <Check {...props} inTabOrder />
          <div>
            <Title entry={entry} project={project} collection={collection} inTabOrder />
            <p>
              <StatusChip entry={entry} />
              {entry.locale !== project.defaultLocale && <span>{format.locale(entry.locale)}</span>}
              <Time value={entry.updatedAt} />
            </p>
          </div>
        </>
      ) : (
        <i className={styles.blank} />
      )}
    </li>
  );
});

function Check({ entry, index, collection, selected, onToggle, inTabOrder }: ItemProps & { inTabOrder: boolean }) {
  const t = useTexts('content').row;
  if (!entry || selected === undefined) return null;
  const label = t.select(titleOf(collection, entry.fields) || t.untitled(entry.id));
  return <SelectBox className={styles.check} label={label} isSelected={selected} onToggle={(range) => onToggle(index, range)} excludeFromTabOrder={!inTabOrder} />;
}

type TitleProps = { entry: ManagedEntry; project: Schemas['Project']; collection: Collection; inTabOrder: boolean; children?: ReactNode };

/** The title of an entry. It links to the entry. */
function Title({ entry, project, collection, inTabOrder, children }: TitleProps) {
  const t = useTexts('content').row;
  const content = children ?? (titleOf(collection, entry.fields) || t.untitled(entry.id));
  return (
    <Link
      className={styles.title}
      to="/projects/$projectId/collections/$collectionId/entries/$entryId"
      params={{ projectId: project.id, collectionId: collection.id, entryId: entry.id }}
      tabIndex={inTabOrder ? undefined : -1}
    >
      {content}
    </Link>
  );
}

type ValueProps = { column: Column; entry: ManagedEntry; project: Schemas['Project']; titles: ReadonlyMap<number, string>; otherwise?: string };

function Value({ column, entry, project, titles, otherwise }: ValueProps) {
  const format = useFormat();
  switch (column.name) {
    case '_status':
      return <StatusChip entry={entry} />;
    case 'id':
      return entry.id;
    case 'locale':
      return <span title={format.locale(entry.locale)}>{entry.locale}</span>;
    case 'publishedAt':
    case 'createdAt':
    case 'updatedAt': {
      const at = entry[column.name];
      return at && <Time value={at} />;
    }
    default: {
      const value = entry.fields[column.name];
      if (otherwise && (value === null || value === undefined || value === '')) return otherwise;
      return column.field && <FieldValue field={column.field} value={value} context={{ projectId: project.id, titles }} />;
    }
  }
}
