import { ArrowDown, ArrowLeft, ArrowRight, ArrowUp, GripVertical } from 'lucide-react';
import { useEffect, useRef, useState, type ReactNode } from 'react';
import { Button as AriaButton, DropIndicator, GridList, GridListItem, useDragAndDrop } from 'react-aria-components';
import { useTexts } from '../i18n/language';
import { IconButton } from './button';
import { moved, placed } from './order';
import styles from './ui.module.css';

type SortableProps<T> = {
  label: string;
  items: readonly T[];
  /** The name of an item for screen readers. */
  nameOf: (item: T) => string;
  /** Called with all items in their new order. If undefined, the order is fixed. */
  onOrder?: (items: T[]) => void;
  /** line: horizontal, wrapped into rows. Default: vertical. */
  layout?: 'line';
  children: (item: T, index: number) => ReactNode;
};

/** A list that can be sorted by drag and drop, by keyboard and by buttons. */
export function Sortable<T extends { id: string }>({ label, items, nameOf, onOrder, layout, children }: SortableProps<T>) {
  const t = useTexts('common').sortable;
  const list = useRef<HTMLDivElement>(null);
  const [last, setLast] = useState<{ id: string; text: string }>();
  const order = (next: T[], id: string) => {
    const index = next.findIndex((item) => item.id === id);
    setLast({ id, text: t.moved(nameOf(next[index]!), index + 1, next.length) });
    onOrder?.(next);
  };
  const { dragAndDropHooks } = useDragAndDrop({
    getItems: (keys) => [...keys].map((key) => ({ 'text/plain': nameOf(items.find((item) => item.id === key)!) })),
    onReorder: ({ keys, target }) => order(placed(items, keys, target.key, target.dropPosition), [...keys].join()),
    renderDropIndicator: (target) => <DropIndicator target={target} className={styles.dropIndicator!} />,
  });
  // At an end of the list, the pressed button is disabled and loses the focus in the next frame.
  // Focus the other button instead.
  useEffect(() => {
    const timer = setTimeout(() => {
      if (!last || document.activeElement !== document.body) return;
      list.current?.querySelector<HTMLElement>(`[data-key="${CSS.escape(last.id)}"] [data-move]:not(:disabled)`)?.focus();
    }, 50);
    return () => clearTimeout(timer);
  }, [last, items]);
  const [Back, Forth] = layout === 'line' ? [ArrowLeft, ArrowRight] : [ArrowUp, ArrowDown];
  return (
    <>
      <GridList
        ref={list}
        aria-label={label}
        className={styles.sortable!}
        data-line={layout === 'line' || undefined}
        layout={layout === 'line' ? 'grid' : 'stack'}
        items={items}
        dependencies={[items, onOrder, children]}
        dragAndDropHooks={onOrder ? dragAndDropHooks : undefined}
        keyboardNavigationBehavior="tab"
        disallowTypeAhead
      >
        {(item) => {
          const index = items.findIndex((other) => other.id === item.id);
          return (
            <GridListItem id={item.id} textValue={nameOf(item)} className={styles.sortableItem!}>
              {onOrder && (
                <AriaButton slot="drag" className={styles.grip!}>
                  <GripVertical aria-hidden />
                </AriaButton>
              )}
              {children(item, index)}
              {onOrder && (
                <span className={styles.moves}>
                  <IconButton data-move label={t.back(nameOf(item))} icon={<Back aria-hidden />} isDisabled={index === 0} onPress={() => order(moved(items, index, index - 1), item.id)} />
                  <IconButton
                    data-move
                    label={t.forth(nameOf(item))}
                    icon={<Forth aria-hidden />}
                    isDisabled={index === items.length - 1}
                    onPress={() => order(moved(items, index, index + 1), item.id)}
                  />
                </span>
              )}
            </GridListItem>
          );
        }}
      </GridList>
      <span className="visually-hidden" role="status">
        {last?.text}
      </span>
    </>
  );
}
