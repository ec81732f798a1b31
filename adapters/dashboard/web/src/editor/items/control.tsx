import { ChevronLeft } from 'lucide-react';
import { useContext, useEffect, useMemo, useRef, useSyncExternalStore } from 'react';
import { useTexts } from '../../i18n/language';
import { Button } from '../../ui/button';
import { focusNext } from '../../ui/focus';
import { ItemContext, useEditing, useFields, type Field } from '../context';
import { formOf } from '../form';
import { BesideItems } from './besideitems';
import { useComponents } from './components';
import { controlIn } from './focus';
import styles from './items.module.css';
import { ItemList } from './list';
import { NestingContext, type FieldControlOf } from './nesting';
import { ItemStore, Outline, type Level } from './outline';
import { itemsAround, placeOf } from './places';
import { revealEvent } from './structured';
import { componentOf, itemsOf, summaryOf } from './values';

/** Cards open inside of an open card. Deeper ones replace the view, with a path back. */
const levelsInPlace = 2;

/** The control of a group or of blocks: a card for each item. */
export function ItemsControl({ field, control }: { field: Field; control: FieldControlOf }) {
  const nesting = useContext(NestingContext);
  const values = useFields();
  if (!nesting) return <Root field={field} control={control} />;
  if (nesting.depth < levelsInPlace) return <ItemList values={values} field={field} nesting={nesting} />;
  return <Deeper level={{ values, field }} outline={nesting.outline} />;
}

/** A field of the entry, or the field inside of it that is shown instead. */
function Root({ field, control }: { field: Field; control: FieldControlOf }) {
  const { store, project } = useEditing();
  const components = useComponents(project.id);
  const outline = useMemo(() => new Outline(store, field, components), [store, field, components]);
  const nesting = useMemo(() => ({ outline, depth: 0, control }), [outline, control]);
  const levels = useSyncExternalStore(outline.subscribe, outline.levels);
  const beside = useContext(BesideItems);
  const box = useRef<HTMLDivElement>(null);
  useEffect(() => outline.start(), [outline]);
  useEffect(() => {
    const target = box.current?.closest('[data-field]');
    const reveal = (event: Event) => {
      event.preventDefault();
      show(outline, (event as CustomEvent<string>).detail);
    };
    target?.addEventListener(revealEvent, reveal);
    return () => target?.removeEventListener(revealEvent, reveal);
  }, [outline]);
  const { values, field: shown } = levels.at(-1)!;
  return (
    <div ref={box} className={styles.root}>
      <NestingContext value={nesting}>
        {levels.length > 1 && <Path outline={outline} levels={levels} />}
        <ItemContext value={values === store ? null : values}>
          <BesideItems value={values === store ? beside : null}>
            <ItemList key={values.place(shown.name)} values={values} field={shown} nesting={nesting} />
          </BesideItems>
        </ItemContext>
      </NestingContext>
    </div>
  );
}

/** A field that is too deep to be shown in its card: how much it has, and a button that shows it. */
function Deeper({ level, outline }: { level: Level; outline: Outline }) {
  const t = useTexts('items');
  const { values, field } = level;
  const count = useSyncExternalStore(outline.subscribe, () => itemsOf(values.raw(field.name)).length);
  const faults = useSyncExternalStore(outline.subscribe, () => outline.faultsInside(values.place(field.name)));
  return (
    <div className={styles.deeper}>
      <span>{field.label}</span>
      <Button onPress={() => drill(outline, level)}>
        {t.openInside(field.label, count)}
        {faults > 0 && <span className={styles.mark}>{t.faults(faults)}</span>}
      </Button>
    </div>
  );
}

/** The fields from the entry's to a field inside of an item. */
function levelsOf({ values, field }: Level): Level[] {
  return values instanceof ItemStore ? [...levelsOf({ values: values.around, field: values.field }), { values, field }] : [{ values, field }];
}

function drill(outline: Outline, level: Level) {
  outline.show(levelsOf(level));
  focusNext(() => document.querySelector<HTMLElement>(`[data-items-path="${CSS.escape(outline.field.name)}"] button`));
}

/** The way from the field of the entry to the one that is shown. */
function Path({ outline, levels }: { outline: Outline; levels: readonly Level[] }) {
  const t = useTexts('items');
  const go = (to: number) => {
    const left = levels[to + 1]!;
    outline.show(levels.slice(0, to + 1));
    const from = left.values.place(left.field.name);
    outline.open(itemsAround(from));
    focusNext(() => formOf().querySelector<HTMLElement>(`[data-field="${CSS.escape(from)}"] button`) ?? formOf().querySelector<HTMLElement>(`[data-field="${CSS.escape(outline.field.name)}"] button`));
  };
  const nameOf = ({ values, field }: Level) => {
    if (!(values instanceof ItemStore)) return field.label;
    const item = values.item();
    const summary = item ? summaryOf(values.field, outline.components, item) : '';
    return `${values.component.name}${summary ? ` “${summary}”` : ''} › ${field.label}`;
  };
  return (
    <nav className={styles.path} aria-label={t.path} data-items-path={outline.field.name}>
      <Button kind="quiet" icon={<ChevronLeft aria-hidden />} onPress={() => go(levels.length - 2)}>
        {t.back}
      </Button>
      <ol>
        {levels.map((level, i) => (
          <li key={level.values.place(level.field.name)} aria-current={i === levels.length - 1 ? 'location' : undefined}>
            {i === levels.length - 1 ? <span>{nameOf(level)}</span> : <button onClick={() => go(i)}>{nameOf(level)}</button>}
          </li>
        ))}
      </ol>
    </nav>
  );
}

/** Opens the cards around a location of the API, or around "@" and a place, and moves the focus to its control. */
function show(outline: Outline, location: string) {
  const place = location.startsWith('@') ? location.slice(1) : (placeOf(location, outline.store.raw)?.place ?? outline.field.name);
  let values: Level = { values: outline.store, field: outline.field };
  const levels = [values];
  const around = itemsAround(place);
  for (const at of around) {
    // Follow the items from the outside to the inside.
    const items = itemsOf(values.values.raw(values.field.name));
    const own = values.values.place(values.field.name);
    const item = items.find((one) => at === (one._key === undefined ? own : `${own}[${one._key}]`));
    const component = componentOf(values.field, outline.components, item);
    if (!item || !component) break;
    const store = outline.item(values.values, values.field, item._key, component);
    const inner = component.fields.find((f) => place === store.place(f.name) || place.startsWith(`${store.place(f.name)}.`) || place.startsWith(`${store.place(f.name)}[`));
    if (!inner || (inner.type !== 'group' && inner.type !== 'blocks')) break;
    values = { values: store, field: inner };
    levels.push(values);
  }
  const first = Math.max(0, levels.length - levelsInPlace);
  outline.show(levels.slice(0, first + 1));
  outline.open(around);
  const target = CSS.escape(place);
  focusNext(() => {
    const found = formOf().querySelector<HTMLElement>(`[data-field="${target}"], [data-item="${target}"]`);
    found?.scrollIntoView({ block: 'center' });
    return found?.matches('[data-item]') ? found.querySelector<HTMLElement>('button') : controlIn(found);
  });
}
