import { useNavigate } from '@tanstack/react-router';
import { defaultRangeExtractor, useVirtualizer } from '@tanstack/react-virtual';
import { ArrowDown, ArrowUp } from 'lucide-react';
import { useCallback, useEffect, useMemo, useRef, useState, type KeyboardEvent, type MouseEvent, type ReactNode } from 'react';
import { maxLimit, type Schemas } from '../api/client';
import { targetsOf } from '../api/fields';
import { useTexts } from '../i18n/language';
import { Problem, ProblemLine } from '../ui/basics';
import { Checkbox } from '../ui/forms';
import { toast } from '../ui/toast';
import { useMedia } from '../ui/usemedia';
import { useColumnLabel } from './columnlabel';
import { columnsOf, type Column } from './columns';
import { sortable, type Collection, type ManagedEntry } from './fields';
import { defaultSort, parseSort } from './query';
import { Card, Row } from './row';
import { fetchEntries, useRelatedTitles, useRows } from './rows';
import type { EntriesSearch } from './search';
import type { Selection } from '../ui/selection';
import styles from './table.module.css';

const rowHeight = 40; // px, as in table.module.css
const cardHeight = 88;
const headHeight = 36;
const checkWidth = 44;
const overscan = 8; // rows
/** The media query for screens that show cards instead of the table. */
export const narrowScreen = '(max-width: 760px)';
/** In pixels. Browsers clip higher elements. */
const maxHeight = 16_000_000;

type GridProps = {
  project: Schemas['Project'];
  collection: Collection;
  collections: readonly Collection[];
  search: EntriesSearch;
  /** The number of rows, once it is known. */
  total: number | undefined;
  /** undefined: rows cannot be selected. */
  selection: Selection<ManagedEntry> | undefined;
  onSort: (field: string, add: boolean) => void;
  onSelectAll: () => void;
  /** Shown if the list has no rows. */
  empty: ReactNode;
};

/** The rows of a list: a table, or cards on a narrow screen. Only rows in view are rendered. */
export function Grid({ project, collection, collections, search, total, selection, onSort, onSelectAll, empty }: GridProps) {
  const t = useTexts('content').grid;
  const navigate = useNavigate();
  const narrow = useMedia(narrowScreen);
  const scroller = useRef<HTMLDivElement>(null);
  const [active, setActive] = useState(0);
  const anchor = useRef(0);
  const [least, setLeast] = useState(0);
  const [inView, setInView] = useState({ first: 0, last: 30 });

  const rows = useRows(project, collection, search, { ...inView, active }, total);
  // The API does not count the trash: its end is known when a page has no next page.
  const count = Math.min(Math.floor(maxHeight / (narrow ? cardHeight : rowHeight)), total ?? rows.end ?? Math.max(least, rows.least, rows.pending ? 12 : 0));
  useEffect(() => {
    if (rows.least > least) setLeast(rows.least);
  }, [rows.least, least]);

  const virtualizer = useVirtualizer({
    count,
    getScrollElement: () => scroller.current,
    estimateSize: () => (narrow ? cardHeight : rowHeight),
    overscan,
    scrollPaddingEnd: narrow ? 0 : headHeight,
    rangeExtractor: (range) => {
      const shown = defaultRangeExtractor(range);
      // The active row is rendered even outside the view, because aria-activedescendant refers to it.
      return active < count && !shown.includes(active) ? [...shown, active].sort((a, b) => a - b) : shown;
    },
    onChange: ({ range }) => {
      if (!range) return;
      const first = Math.max(0, range.startIndex - overscan);
      const last = range.endIndex + overscan;
      setInView((old) => (old.first === first && old.last === last ? old : { first, last }));
    },
  });
  useEffect(() => void virtualizer.measure(), [narrow, virtualizer]);

  const columns = useMemo(
    () => columnsOf(collection, search.columns).map((column) => (column.name === '_status' ? { ...column, width: t.statusWidth } : column)),
    [collection, search.columns, t],
  );
  const relations = columns.flatMap(({ field }) => targetsOf(field, collections).map((target) => ({ field: field!, target })));
  const titles = useRelatedTitles(project, relations, rows.pages);

  // Rows are memoized, so their callbacks must not change.
  const latest = useRef<{ toggle: (index: number, range: boolean) => void; click: (event: MouseEvent, index: number) => void }>(undefined);
  const onToggle = useCallback((index: number, range: boolean) => latest.current?.toggle(index, range), []);
  const onClick = useCallback((event: MouseEvent, index: number) => latest.current?.click(event, index), []);

  if (rows.error && rows.pages.length === 0) return <Problem error={rows.error} retry={rows.retry} />;
  if (count === 0 && !rows.pending) return <>{empty}</>;

  const inTrash = search.state === 'trash';
  const open = (entry: ManagedEntry | undefined) => {
    if (entry) void navigate({ to: '/projects/$projectId/collections/$collectionId/entries/$entryId', params: { projectId: project.id, collectionId: collection.id, entryId: entry.id } });
  };
  const between = (a: number, b: number) => {
    const found: ManagedEntry[] = [];
    for (let i = Math.min(a, b); i <= Math.max(a, b); i++) {
      const entry = rows.rowAt(i);
      if (entry) found.push(entry);
    }
    return found;
  };
  /** Selects all entries between two positions. Those that are not loaded are fetched. */
  const select = async (a: number, b: number) => {
    const first = Math.min(a, b);
    const size = Math.abs(a - b) + 1;
    const loaded = between(a, b);
    selection?.set(loaded, true);
    if (loaded.length === size) return;
    try {
      for (let from = 0; from < size; from += maxLimit) {
        const page = await fetchEntries(project, collection, search, { offset: first + from, limit: Math.min(maxLimit, size - from) });
        selection?.set(page.data, true);
      }
    } catch (caught) {
      toast(<ProblemLine error={caught} />);
    }
  };
  const toggle = (index: number, range: boolean) => {
    const entry = rows.rowAt(index);
    if (!entry || !selection) return;
    if (range) void select(anchor.current, index);
    else selection.set([entry], !selection.has(entry.id));
    anchor.current = index;
  };
  const move = (to: number, extend: boolean) => {
    const index = Math.max(0, Math.min(count - 1, to));
    if (extend && selection) void select(active, index);
    setActive(index);
    virtualizer.scrollToIndex(index);
  };
  const onKeyDown = (event: KeyboardEvent) => {
    if (event.target !== event.currentTarget) return;
    const page = Math.max(1, Math.floor(((scroller.current?.clientHeight ?? 0) - headHeight) / (narrow ? cardHeight : rowHeight)) - 1);
    const keys: Record<string, () => void> = {
      ArrowDown: () => move(active + 1, event.shiftKey),
      ArrowUp: () => move(active - 1, event.shiftKey),
      PageDown: () => move(active + page, event.shiftKey),
      PageUp: () => move(active - page, event.shiftKey),
      Home: () => move(0, false),
      End: () => move(count - 1, false),
      ArrowLeft: () => scroller.current?.scrollBy({ left: -120 }),
      ArrowRight: () => scroller.current?.scrollBy({ left: 120 }),
      Enter: () => open(rows.rowAt(active)),
      ' ': () => toggle(active, event.shiftKey),
      Escape: () => selection?.clear(),
    };
    if ((event.ctrlKey || event.metaKey) && event.key === 'a') keys.a = onSelectAll;
    else if (event.ctrlKey || event.metaKey || event.altKey) return;
    const run = keys[event.key];
    if (!run) return;
    event.preventDefault();
    run();
  };
  const click = (event: MouseEvent, index: number) => {
    setActive(index);
    if (event.target instanceof Element && event.target.closest('a, label, button')) return;
    if (selection && (event.shiftKey || event.ctrlKey || event.metaKey)) return toggle(index, event.shiftKey);
    if (getSelection()?.isCollapsed !== false) open(rows.rowAt(index));
  };

  latest.current = { toggle, click };

  const template = [...(selection ? [`${checkWidth}px`] : []), ...columns.map((c) => `minmax(${c.width}px, ${c.share || 0.001}fr)`)].join(' ');
  const width = columns.reduce((sum, c) => sum + c.width, selection ? checkWidth : 0);
  const items = virtualizer.getVirtualItems();
  if (narrow) {
    return (
      <div className={styles.scroller} ref={scroller} tabIndex={-1}>
        <ul className={styles.body} style={{ height: virtualizer.getTotalSize() }}>
          {items.map((item) => {
            const entry = rows.rowAt(item.index);
            return <Card key={item.key} index={item.index} start={item.start} entry={entry} project={project} collection={collection} selected={selection && entry && selection.has(entry.id)} onToggle={onToggle} count={count} />;
          })}
        </ul>
      </div>
    );
  }

  const sort = parseSort(search.sort ?? defaultSort);
  return (
    <>
      {rows.error ? <Problem error={rows.error} retry={rows.retry} /> : null}
      <div
        className={styles.scroller}
        ref={scroller}
        role="grid"
        aria-label={collection.name}
        aria-rowcount={total === undefined ? -1 : count + 1}
        aria-colcount={columns.length + (selection ? 1 : 0)}
        aria-multiselectable={selection ? true : undefined}
        aria-activedescendant={rows.rowAt(active) ? `row-${active}` : undefined}
        aria-busy={rows.pending || undefined}
        tabIndex={0}
        onKeyDown={onKeyDown}
      >
        <div role="rowgroup" className={styles.head} style={{ minWidth: width }}>
          <div role="row" aria-rowindex={1} className={styles.row} style={{ gridTemplateColumns: template }}>
            {selection && (
              <div role="columnheader" className={styles.check}>
                <Checkbox
                  aria-label={t.selectAll}
                  isSelected={selection.items.size > 0 && selection.items.size === count}
                  isIndeterminate={selection.items.size > 0 && selection.items.size < count}
                  onChange={() => (selection.items.size > 0 ? selection.clear() : onSelectAll())}
                />
              </div>
            )}
            {columns.map((column, i) => (
              <HeadCell key={column.name} column={column} first={i === 0} sort={sort} onSort={inTrash ? undefined : onSort} />
            ))}
          </div>
        </div>
        <div role="rowgroup" className={styles.body} style={{ height: virtualizer.getTotalSize(), minWidth: width }}>
          {items.map((item) => {
            const entry = rows.rowAt(item.index);
            return (
              <Row
                key={item.key}
                index={item.index}
                start={item.start}
                entry={entry}
                project={project}
                collection={collection}
                selected={selection && (entry ? selection.has(entry.id) : false)}
                onToggle={onToggle}
                active={item.index === active}
                columns={columns}
                template={template}
                titles={titles}
                onClick={onClick}
              />
            );
          })}
        </div>
      </div>
    </>
  );
}

type HeadCellProps = { column: Column; first: boolean; sort: { field: string; descending: boolean }[]; onSort: ((field: string, add: boolean) => void) | undefined };

function HeadCell({ column, first, sort, onSort }: HeadCellProps) {
  const label = useColumnLabel()(column);
  const key = sort.findIndex((k) => k.field === column.name);
  const sorted = onSort ? sort[key] : undefined;
  return (
    <div role="columnheader" data-type={column.field?.type} data-first={first || undefined} aria-sort={sorted ? (sorted.descending ? 'descending' : 'ascending') : undefined}>
      {onSort && column.field && sortable(column.field) ? (
        <button onClick={(event) => onSort(column.name, event.shiftKey)}>
          <span>{label}</span>
          {sorted && (sorted.descending ? <ArrowDown aria-hidden /> : <ArrowUp aria-hidden />)}
          {sorted && sort.length > 1 && <small aria-hidden>{key + 1}</small>}
        </button>
      ) : (
        <span>{label}</span>
      )}
    </div>
  );
}
