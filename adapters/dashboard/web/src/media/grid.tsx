import { useVirtualizer, useWindowVirtualizer, type Range, type Virtualizer } from '@tanstack/react-virtual';
import { memo, useCallback, useEffect, useLayoutEffect, useRef, useState, type KeyboardEvent, type MouseEvent, type RefObject } from 'react';
import { useFormat } from '../i18n/format';
import { useTexts } from '../i18n/language';
import type { MediaList } from './data';
import { nameOf, typeName, type MediaItem } from './kind';
import styles from './media.module.css';
import { columnsFor, moved, rowsFor } from './layout';
import { Thumbnail } from './thumbnail';

type GridProps = {
  list: MediaList;
  label: string;
  selected: ReadonlyMap<number, MediaItem>;
  /** If undefined, items cannot be selected. */
  onSelect?: (items: MediaItem[], on: boolean) => void;
  /** Called on a click on an item. */
  onOpen: (item: MediaItem) => void;
  /** Called on Enter or a double click; default: onOpen. */
  onTake?: (item: MediaItem) => void;
  openId?: number;
};

const gap = 16; // px
const captionHeight = 52; // px below a thumbnail

/** A grid of items that scrolls with the page. */
export function PageGrid(props: GridProps) {
  const box = useRef<HTMLDivElement>(null);
  const { width, top } = usePlace(box);
  const columns = columnsFor(width, gap);
  const virtualizer = useWindowVirtualizer({ ...rows(props.list.total ?? 0, columns, width), scrollMargin: top, scrollPaddingStart: 140, scrollPaddingEnd: 80 });
  return <Grid {...props} box={box} columns={columns} virtualizer={virtualizer} top={top} />;
}

/** A grid of items that scrolls inside an element. */
export function BoxGrid({ scroller, ...props }: GridProps & { scroller: RefObject<HTMLElement | null> }) {
  const box = useRef<HTMLDivElement>(null);
  const { width } = usePlace(box);
  const columns = columnsFor(width, gap);
  const virtualizer = useVirtualizer({ ...rows(props.list.total ?? 0, columns, width), getScrollElement: () => scroller.current, scrollPaddingStart: gap, scrollPaddingEnd: gap });
  return <Grid {...props} box={box} columns={columns} virtualizer={virtualizer} top={0} />;
}

function rows(total: number, columns: number, width: number) {
  const thumbnail = (((width - gap * (columns - 1)) / columns) * 3) / 4;
  const height = Math.round(thumbnail) + captionHeight + gap;
  return { count: width > 0 ? rowsFor(total, columns) : 0, estimateSize: () => height, overscan: 3 };
}

type GridInsideProps<S extends Element | Window> = GridProps & { box: RefObject<HTMLDivElement | null>; columns: number; virtualizer: Virtualizer<S, Element>; top: number };

function Grid<S extends Element | Window>({ list, label, selected, onSelect, onOpen, onTake, openId, box, columns, virtualizer, top }: GridInsideProps<S>) {
  const total = list.total ?? 0;
  const [wanted, setActive] = useState(0);
  const active = Math.min(wanted, Math.max(0, total - 1));
  const takeFocus = useRef(false);
  const hasFocus = useRef(false);
  const anchor = useRef<number>(undefined);

  // Keep the row with the focus in the DOM while it is scrolled out of view.
  const activeRow = Math.floor(active / columns);
  virtualizer.options.rangeExtractor = useCallback(
    (range: Range) => {
      const from = Math.max(0, range.startIndex - range.overscan);
      const to = Math.min(range.count - 1, range.endIndex + range.overscan);
      const visible = Array.from({ length: Math.max(0, to - from + 1) }, (_, i) => from + i);
      if (activeRow < from && activeRow < range.count) visible.unshift(activeRow);
      if (activeRow > to && activeRow < range.count) visible.push(activeRow);
      return visible;
    },
    [activeRow],
  );

  const { show } = list;
  const bounds = virtualizer.range;
  useEffect(() => {
    if (bounds) show(bounds.startIndex * columns, (bounds.endIndex + 1) * columns - 1);
  });

  // The width determines the height of the rows. After a change, the open item stays in view.
  const height = virtualizer.options.estimateSize(0);
  useLayoutEffect(() => {
    virtualizer.measure();
  }, [virtualizer, height]);
  // A change of the columns replaces the cell of the focused item.
  useLayoutEffect(() => {
    takeFocus.current ||= hasFocus.current;
  }, [columns]);
  const opened = openId !== undefined;
  useEffect(() => {
    if (opened) virtualizer.scrollToIndex(activeRow, { align: 'auto' });
    // Not when the focus moves.
  }, [opened, columns]);

  useEffect(() => {
    if (!takeFocus.current) return;
    const cell = box.current?.querySelector<HTMLElement>(`[data-index="${active}"]`);
    if (!cell) return; // not rendered until the scroll is done
    takeFocus.current = false;
    cell.focus({ preventScroll: true });
  });

  const select = (index: number, through: boolean) => {
    const item = list.at(index);
    if (!item || !onSelect) return;
    const from = through && anchor.current !== undefined ? anchor.current : index;
    const span = Array.from({ length: Math.abs(index - from) + 1 }, (_, i) => list.at(Math.min(index, from) + i)).filter((each) => each !== undefined);
    onSelect(span, through || !selected.has(item.id));
    anchor.current = index;
  };

  const onKeyDown = (event: KeyboardEvent) => {
    if (event.altKey) return;
    if (event.key === 'Enter' || event.key === ' ') {
      event.preventDefault();
      const item = list.at(active);
      if (event.key === ' ' && onSelect) select(active, event.shiftKey);
      else if (item) (onTake ?? onOpen)(item);
      return;
    }
    const next = moved(event.key, event.ctrlKey || event.metaKey, active, total, columns);
    if (next === undefined) return;
    event.preventDefault();
    takeFocus.current = true;
    if (event.shiftKey && onSelect) {
      anchor.current ??= active;
      const from = anchor.current;
      onSelect(Array.from({ length: Math.abs(next - from) + 1 }, (_, i) => list.at(Math.min(next, from) + i)).filter((item) => item !== undefined), true);
    } else anchor.current = next;
    setActive(next);
    virtualizer.scrollToIndex(Math.floor(next / columns), { align: 'auto' });
  };

  // Cells are memoized, so their handlers must not change.
  const handlers = useRef<Handlers>(undefined);
  handlers.current = { click, take: onTake, focus: setActive };

  function click(event: MouseEvent, index: number) {
    setActive(index);
    const item = list.at(index);
    if (!item) return;
    if (event.target instanceof HTMLElement && event.target.closest('[data-select]')) select(index, event.shiftKey);
    else if (event.shiftKey || event.ctrlKey || event.metaKey) select(index, event.shiftKey);
    else onOpen(item);
  }

  return (
    <div
      ref={box}
      className={styles.grid}
      role="grid"
      aria-label={label}
      aria-rowcount={rowsFor(total, columns)}
      aria-colcount={columns}
      aria-multiselectable={onSelect ? true : undefined}
      aria-busy={list.loading || undefined}
      onKeyDown={onKeyDown}
      onFocus={() => {
        hasFocus.current = true;
      }}
      onBlur={(event) => {
        hasFocus.current = event.currentTarget.contains(event.relatedTarget);
      }}
      style={{ height: Math.max(0, virtualizer.getTotalSize() - gap) }}
    >
      {virtualizer.getVirtualItems().map((row) => (
        <div
          key={row.key}
          role="row"
          aria-rowindex={row.index + 1}
          className={styles.row}
          style={{ gridTemplateColumns: `repeat(${columns}, minmax(0, 1fr))`, columnGap: gap, height: row.size - gap, transform: `translateY(${row.start - top}px)` }}
        >
          {Array.from({ length: Math.min(columns, total - row.index * columns) }, (_, column) => {
            const index = row.index * columns + column;
            const item = list.at(index);
            return (
              <Cell
                key={column}
                index={index}
                column={column}
                item={item}
                isActive={index === active}
                isOpen={item !== undefined && item.id === openId}
                isSelected={item !== undefined && selected.has(item.id)}
                selectable={onSelect !== undefined}
                marked={selected.size > 0}
                handlers={handlers}
              />
            );
          })}
        </div>
      ))}
    </div>
  );
}

type CellProps = {
  index: number;
  column: number;
  item: MediaItem | undefined;
  isActive: boolean;
  isOpen: boolean;
  isSelected: boolean;
  selectable: boolean;
  marked: boolean;
  handlers: RefObject<Handlers | undefined>;
};

type Handlers = { click: (event: MouseEvent, index: number) => void; take?: (item: MediaItem) => void; focus: (index: number) => void };

const Cell = memo(function Cell({ index, column, item, isActive, isOpen, isSelected, selectable, marked, handlers }: CellProps) {
  const t = useTexts('media').grid;
  const format = useFormat();
  return (
    <div
      role="gridcell"
      aria-colindex={column + 1}
      aria-selected={selectable ? isSelected : undefined}
      aria-label={item ? undefined : t.loading}
      data-index={index}
      data-open={isOpen || undefined}
      data-selected={isSelected || undefined}
      data-marked={marked || undefined}
      tabIndex={isActive ? 0 : -1}
      className={styles.cell}
      onClick={(event) => handlers.current?.click(event, index)}
      onDoubleClick={() => item && handlers.current?.take?.(item)}
      onFocus={() => handlers.current?.focus(index)}
    >
      <Thumbnail item={item} />
      {item && (
        <span className={styles.words}>
          <span title={nameOf(item)}>{nameOf(item)}</span>
          <small>
            {typeName(item)}
            {' · '}
            {item.width && item.height ? `${item.width} × ${item.height}` : format.bytes(item.size)}
          </small>
        </span>
      )}
      {item && selectable && <span className={styles.tick} data-select aria-hidden />}
    </div>
  );
});

/** The width of an element and its distance from the top of the page, as they change. */
function usePlace(ref: RefObject<HTMLElement | null>) {
  const [place, setPlace] = useState({ width: 0, top: 0 });
  useLayoutEffect(() => {
    const element = ref.current;
    if (!element) return;
    const measure = () => {
      const width = element.clientWidth;
      const top = element.getBoundingClientRect().top + window.scrollY;
      setPlace((now) => (now.width === width && now.top === top ? now : { width, top }));
    };
    measure();
    const observer = new ResizeObserver(measure);
    observer.observe(element);
    observer.observe(document.body);
    return () => observer.disconnect();
  }, [ref]);
  return place;
}
