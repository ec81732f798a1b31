import { ArrowDown, ArrowUp, ChevronRight, CircleAlert, Ellipsis, GripVertical, Plus } from 'lucide-react';
import { memo, useContext, useId, useMemo, useSyncExternalStore, type FocusEvent, type KeyboardEvent } from 'react';
import { useTexts } from '../../i18n/language';
import { Fault } from '../../ui/textfields';
import { ItemContext, type Field, type FieldStore } from '../context';
import editor from '../editor.module.css';
import { BesideItems } from './besideitems';
import styles from './items.module.css';
import { NestingContext, type CardActions, type Nesting } from './nesting';
import type { ItemStore } from './outline';
import { itemPlace } from './places';
import { isList, isStructured, itemsOf, summaryOf, type Component } from './values';

type CardProps = {
  values: FieldStore;
  field: Field;
  itemKey: string | undefined;
  type: string | undefined;
  index: number;
  /** How many items the list has. */
  of: number;
  nesting: Nesting;
  actions: CardActions;
  /** Whether an item can be inserted after this one. */
  insertable: boolean;
};

/** One item: a line that says what it is, and its fields while it is open. */
export const Card = memo(function Card({ values, field, itemKey, type, index, of, nesting, actions, insertable }: CardProps) {
  const t = useTexts('items');
  const { outline } = nesting;
  const id = useId();
  const place = itemPlace(values.place(field.name), itemKey);
  const component = outline.components.get((field.type === 'group' ? field.component : type) ?? '');
  const many = isList(field);
  const isOpen = useSyncExternalStore(outline.subscribe, () => outline.isOpen(place, !many));
  const faults = useSyncExternalStore(outline.subscribe, () => outline.faultsInside(place));
  const fault = useSyncExternalStore(outline.subscribe, () => (many ? outline.fault(place) : '')); // the list shows that of a single item
  const store = useMemo(() => component && outline.item(values, field, itemKey, component), [outline, values, field, itemKey, component]);
  const summary = useSyncExternalStore(outline.subscribe, () => {
    const item = store?.item() ?? itemsOf(values.raw(field.name))[index];
    return item ? summaryOf(field, outline.components, item, isOpen) : '';
  });
  const showBeside = useContext(BesideItems);
  const name = component?.name ?? type ?? field.label;
  const sortable = many && of > 1;
  const onKeyDown = (event: KeyboardEvent) => {
    if (!sortable || !event.altKey || (event.key !== 'ArrowUp' && event.key !== 'ArrowDown')) return;
    event.preventDefault();
    event.stopPropagation();
    actions.move(itemKey, event.key === 'ArrowUp' ? -1 : 1);
  };
  return (
    <li className={styles.card} data-item={place} data-open={isOpen || undefined} data-beside={showBeside ? true : undefined} data-faulty={faults > 0 || undefined}>
      {/* Alt with an arrow key moves the card while the focus is on one of these buttons. */}
      {/* oxlint-disable-next-line jsx-a11y/no-static-element-interactions -- the buttons inside have the focus */}
      <div className={styles.head} onKeyDown={onKeyDown}>
        {sortable && (
          <span className={styles.grip} onPointerDown={(event) => actions.drag(event, itemKey)} aria-hidden>
            <GripVertical />
          </span>
        )}
        <button className={styles.toggle} aria-expanded={isOpen} aria-controls={isOpen ? `${id}-body` : undefined} aria-describedby={sortable ? `${id}-hint` : undefined} disabled={!component} onClick={() => outline.open([place], !isOpen)}>
          <ChevronRight aria-hidden />
          <b>{name}</b>
          <span className={styles.summary}>{component ? summary : t.gone}</span>
          {faults > 0 && (
            <span className={styles.mark}>
              <CircleAlert aria-hidden />
              {t.faults(faults)}
            </span>
          )}
        </button>
        {sortable && (
          <>
            <span id={`${id}-hint`} hidden>
              {t.altArrows}
            </span>
            <button className={styles.icon} aria-label={t.up(name, index + 1)} title={t.up(name, index + 1)} disabled={index === 0} onClick={() => actions.move(itemKey, -1)}>
              <ArrowUp aria-hidden />
            </button>
            <button className={styles.icon} aria-label={t.down(name, index + 1)} title={t.down(name, index + 1)} disabled={index === of - 1} onClick={() => actions.move(itemKey, 1)}>
              <ArrowDown aria-hidden />
            </button>
          </>
        )}
        <button className={styles.icon} aria-haspopup="menu" aria-label={t.actionsOf(name, index + 1)} title={t.actionsOf(name, index + 1)} onClick={(event) => actions.openMenu(itemKey, event.currentTarget)}>
          <Ellipsis aria-hidden />
        </button>
      </div>
      {isOpen && store && (
        <div className={styles.body} id={`${id}-body`} role="group" aria-label={`${name} ${many ? index + 1 : ''}`.trim()}>
          {fault && <Fault>{fault}</Fault>}
          <BesideItems value={null}>
            <ItemFields store={store} component={store.component} nesting={nesting} />
          </BesideItems>
        </div>
      )}
      {showBeside && <div className={styles.other}>{showBeside({ field, index, isOpen })}</div>}
      {insertable && (
        <button className={styles.insert} aria-label={t.insertAfter(name, index + 1)} title={t.insertAfter(name, index + 1)} onClick={(event) => actions.insertAfter(itemKey, event.currentTarget)}>
          <Plus aria-hidden />
        </button>
      )}
    </li>
  );
});

/** Says that the user has left a field of an item. */
function leaves({ target, relatedTarget }: FocusEvent, { outline }: Nesting) {
  const field = target.closest<HTMLElement>('[data-field]');
  if (field && !(relatedTarget instanceof Node && field.contains(relatedTarget))) outline.left(field.dataset.field!);
}

/** The fields of an item, with the controls of the entry's own fields. */
const ItemFields = memo(function ItemFields({ store, component, nesting }: { store: ItemStore; component: Component; nesting: Nesting }) {
  const t = useTexts('items');
  const inner = useMemo(() => ({ ...nesting, depth: nesting.depth + 1 }), [nesting]);
  const FieldControl = nesting.control;
  if (component.fields.length === 0) return <p className={styles.none}>{t.noFields}</p>;
  return (
    <ItemContext value={store}>
      <NestingContext value={inner}>
        <div className={editor.fields} onBlur={(event) => leaves(event, nesting)} data-structured={component.fields.some(isStructured) || undefined}>
          {component.fields.map((field) => (
            <FieldControl key={field.name} field={field} />
          ))}
        </div>
      </NestingContext>
    </ItemContext>
  );
});
