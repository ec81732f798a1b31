import { ClipboardPaste, Copy, CopyPlus, Plus, Trash2 } from 'lucide-react';
import { useCallback, useId, useMemo, useRef, useState, useSyncExternalStore, type RefObject } from 'react';
import { useFormat } from '../../i18n/format';
import { useTexts } from '../../i18n/language';
import { Button } from '../../ui/button';
import { focusNext } from '../../ui/focus';
import { OpenMenu } from '../../ui/opened';
import { moved } from '../../ui/order';
import { Fault, Required } from '../../ui/textfields';
import { toast } from '../../ui/toast';
import ui from '../../ui/ui.module.css';
import { useEditing, type Field, type FieldStore } from '../context';
import { loadControls } from '../controls/apart';
import { Card } from './card';
import { controlIn } from './focus';
import { copiedTexts, copyText, readItems, writeItems } from './clipboard';
import { useDrag } from './drag';
import styles from './items.module.css';
import type { CardActions, Nesting } from './nesting';
import { limits, offered, setItems } from './outline';
import { Picker, remember } from './picker';
import { itemPlace } from './places';
import { componentOf, copyOf, indexOf, isList, itemsOf, newItem, signatureOf, type Component, type Item } from './values';

type ListProps = { values: FieldStore; field: Field; nesting: Nesting };

type Opened = { what: 'menu' | 'picker'; index: number; button: RefObject<HTMLButtonElement | null> };

/** The items of a field as cards, with buttons to add, move, copy and remove them. */
export function ItemList({ values, field, nesting }: ListProps) {
  const t = useTexts('items');
  const format = useFormat();
  const { project } = useEditing();
  const { outline } = nesting;
  const id = useId();
  const place = values.place(field.name);
  const list = useRef<HTMLUListElement>(null);
  const [said, say] = useState('');
  const [opened, open] = useState<Opened>();
  const current = useCallback(() => itemsOf(values.raw(field.name)), [values, field.name]);
  const signature = useSyncExternalStore(outline.subscribe, () => signatureOf(current()));
  const fault = useSyncExternalStore(outline.subscribe, () => outline.fault(place)) || undefined;
  // eslint-disable-next-line react-hooks/exhaustive-deps -- the signature says when the keys and types change
  const items = useMemo(() => current(), [signature, current]);
  const choices = useMemo(() => offered(outline, field), [outline, field]);
  const many = isList(field);
  const { min, max } = limits(field);
  const full = max !== undefined && items.length >= max;

  const set = useCallback((next: readonly Item[]) => setItems(outline, values, field, next), [outline, values, field]);
  const cardOf = (key: string | undefined) => list.current?.querySelector<HTMLElement>(`:scope > [data-item="${CSS.escape(itemPlace(place, key))}"]`);
  const focusCard = (key: string | undefined) => focusNext(() => cardOf(key)?.querySelector<HTMLElement>('button'));
  const nameOf = (item: Item | undefined) => componentOf(field, outline.components, item)?.name ?? item?._type ?? field.label;

  const insert = (index: number, added: readonly Item[]) => {
    set(current().toSpliced(index, 0, ...added));
    say(t.added(nameOf(added[0]), added.length, index + 1, current().length));
  };
  const add = (component: Component, index: number) => {
    const item = newItem(field, component);
    remember(project.id, component.slug);
    outline.open([itemPlace(place, item._key)]);
    outline.added(itemPlace(place, item._key));
    insert(index, [item]);
    const first = () => {
      const card = cardOf(item._key);
      return component.fields.length > 0 ? controlIn(card?.querySelector('[data-field]')) : card?.querySelector<HTMLElement>('button');
    };
    // At once, so that no key goes elsewhere, and again after the list of components has given back the focus.
    queueMicrotask(() => first()?.focus());
    focusNext(first);
  };
  const move = (from: number, to: number) => {
    const before = current();
    if (from === to || to < 0 || to >= before.length) return;
    const focused = document.activeElement;
    const key = before[from]!._key;
    const place = focused instanceof HTMLElement ? [...(cardOf(key)?.querySelectorAll('button') ?? [])].indexOf(focused as HTMLButtonElement) : -1;
    set(moved(before, from, to));
    say(t.moved(nameOf(before[from]), to + 1, before.length));
    // The focus follows the moved item.
    requestAnimationFrame(() => {
      const buttons = cardOf(key)?.querySelectorAll('button');
      const next = buttons?.[Math.max(0, place)];
      (next && !next.disabled ? next : buttons?.[0])?.focus();
    });
  };
  const remove = (index: number) => {
    const before = current();
    const item = before[index]!;
    set(before.toSpliced(index, 1));
    const neighbour = before[index + 1] ?? before[index - 1];
    if (neighbour) focusCard(neighbour._key);
    else focusNext(() => document.getElementById(`${id}-add`));
    toast(t.removed(nameOf(item)), {
      label: t.undo,
      run: () => {
        const now = current();
        if (!many && now.length > 0) return;
        if (many && indexOf(now, item._key) >= 0) return;
        const after = before.slice(0, index).findLast((one) => indexOf(now, one._key) >= 0);
        set(now.toSpliced(after ? indexOf(now, after._key) + 1 : 0, 0, item));
        focusCard(item._key);
      },
    });
  };
  const copy = async (copied: readonly Item[]) => {
    const done = await copyText(writeItems(field, outline.components, copied));
    say(done ? t.copied(nameOf(copied[0]), copied.length) : t.notCopied);
    toast(done ? t.copied(nameOf(copied[0]), copied.length) : t.notCopied);
  };
  const paste = async (index: number) => {
    const pasted = (await copiedTexts()).map((text) => readItems(text, field, outline.components)).find((found) => found !== undefined);
    if (!pasted) return toast(t.nothingCopied);
    const fitting = max === undefined ? pasted.items : pasted.items.slice(0, Math.max(0, max - current().length));
    if (pasted.refused.length > 0) toast(t.refused(format.list(pasted.refused), field.label));
    else if (fitting.length < pasted.items.length) toast(t.tooMany(field.label, format.number(max!)));
    if (fitting.length === 0) return;
    insert(index, fitting);
    focusCard(fitting[0]!._key);
  };

  const one = choices.length === 1 ? choices[0] : undefined;
  const prepare = () => loadControls(choices, outline.components);
  const insertOrAsk = (index: number, button: RefObject<HTMLButtonElement | null>) => {
    prepare();
    if (one) add(one, index);
    else open({ what: 'picker', index, button });
  };
  const start = useDrag(list, move);
  const latest = useRef({ move, insertOrAsk, start });
  latest.current = { move, insertOrAsk, start };
  const actions = useMemo<CardActions>(() => {
    const at = (key: string | undefined) => (key === undefined ? 0 : indexOf(current(), key));
    return {
      move: (key, by) => latest.current.move(at(key), at(key) + by),
      openMenu: (key, button) => open({ what: 'menu', index: at(key), button: { current: button } }),
      insertAfter: (key, button) => latest.current.insertOrAsk(at(key) + 1, { current: button }),
      drag: (event, key) => latest.current.start(event, at(key)),
    };
  }, [current]);
  return (
    <div className={ui.field} role="group" aria-labelledby={`${id}-label`} aria-describedby={[field.help && `${id}-hint`, fault && `${id}-fault`].filter(Boolean).join(' ') || undefined}>
      <div className={ui.label}>
        <span id={`${id}-label`}>{field.required ? <Required label={field.label} group /> : field.label}</span>
        {many && <small>{max !== undefined ? t.countOf(format.number(items.length), format.number(max)) : min > 1 ? t.countFrom(format.number(items.length), format.number(min)) : items.length > 0 && format.number(items.length)}</small>}
      </div>
      {field.help && (
        <div className={ui.hint} id={`${id}-hint`}>
          {field.help}
        </div>
      )}
      {fault && <Fault id={`${id}-fault`}>{fault}</Fault>}
      {items.length > 0 && (
        <ul ref={list} className={styles.cards} data-many={many || undefined}>
          {items.map((item, i) => (
            <Card
              key={`${item._key ?? ''} ${item._type ?? ''}`}
              values={values}
              field={field}
              itemKey={item._key}
              type={item._type}
              index={i}
              of={items.length}
              nesting={nesting}
              actions={actions}
              insertable={many && !full && i < items.length - 1}
            />
          ))}
        </ul>
      )}
      <div className={styles.foot}>
        {!full && choices.length > 0 && (
          <Button id={`${id}-add`} icon={<Plus aria-hidden />} onHoverStart={prepare} onFocus={prepare} onPress={(event) => insertOrAsk(items.length, { current: event.target as HTMLButtonElement })}>
            {one ? t.addOne(one.name) : t.add}
          </Button>
        )}
        {!full && (
          <Button kind="quiet" icon={<ClipboardPaste aria-hidden />} onPress={() => void paste(items.length)}>
            {t.paste}
          </Button>
        )}
        {many && items.length > 1 && (
          <Button kind="quiet" icon={<Copy aria-hidden />} onPress={() => void copy(current())}>
            {t.copyAll}
          </Button>
        )}
      </div>
      {opened?.what === 'picker' && <Picker projectId={project.id} components={choices} button={opened.button} onClose={() => open(undefined)} onPick={(component) => add(component, opened.index)} />}
      {opened?.what === 'menu' && (
        <OpenMenu
          label={t.actionsOf(nameOf(items[opened.index]), opened.index + 1)}
          button={opened.button}
          onClose={() => open(undefined)}
          items={[
            ...(many
              ? [
                  {
                    isDisabled: full,
                    onAction: () => {
                      const made = copyOf(field, outline.components, current()[opened.index]!);
                      insert(opened.index + 1, [made]);
                      focusCard(made._key);
                    },
                    children: (
                      <>
                        <CopyPlus aria-hidden />
                        {t.duplicate}
                      </>
                    ),
                  },
                ]
              : []),
            {
              onAction: () => void copy([current()[opened.index]!]),
              children: (
                <>
                  <Copy aria-hidden />
                  {t.copy}
                </>
              ),
            },
            ...(many
              ? [
                  {
                    isDisabled: full,
                    onAction: () => void paste(opened.index + 1),
                    children: (
                      <>
                        <ClipboardPaste aria-hidden />
                        {t.pasteBelow}
                      </>
                    ),
                  },
                ]
              : []),
            {
              danger: true,
              onAction: () => remove(opened.index),
              children: (
                <>
                  <Trash2 aria-hidden />
                  {t.remove}
                </>
              ),
            },
          ]}
        />
      )}
      <span className="visually-hidden" role="status">
        {said}
      </span>
    </div>
  );
}
