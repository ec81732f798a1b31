import { useState, type ComponentType } from 'react';
import { useFormat } from '../i18n/format';
import { useTexts } from '../i18n/language';
import { Chip } from '../ui/basics';
import { plainText } from '../content/plaintext';
import type { Compared, ItemChange, Versions } from './fields';
import styles from './itemchanges.module.css';

type Show = ComponentType<{ change: Compared; versions: Versions; inner: true }>;

/** The items of a group or of blocks: what happened to each, and its values. Items that did not change are collapsed. */
export function ItemChanges({ change, versions, show }: { change: Compared; versions: Versions; show: Show }) {
  const marked = versions.before !== undefined;
  const runs = runsOf(change.items ?? [], marked);
  const single = change.field.type === 'group' && !change.field.multiple;
  return (
    <ol className={styles.items} data-single={single || undefined}>
      {runs.map((run) =>
        Array.isArray(run) ? (
          <Unchanged key={`same ${run[0]!.key}`} items={run} versions={versions} show={show} single={single} />
        ) : (
          <Item key={`${run.change} ${run.key}`} item={run} versions={versions} show={show} single={single} />
        ),
      )}
    </ol>
  );
}

/** The items, with those that follow each other unchanged as one list. */
function runsOf(items: readonly ItemChange[], marked: boolean) {
  const runs: (ItemChange | ItemChange[])[] = [];
  for (const item of items) {
    const last = runs.at(-1);
    if (!marked || item.change !== 'same') runs.push(item);
    else if (Array.isArray(last)) last.push(item);
    else runs.push([item]);
  }
  return runs;
}

type ItemProps = { item: ItemChange; versions: Versions; show: Show; single: boolean };

function Item({ item, versions, show: Show, single }: ItemProps) {
  const t = useTexts('changes');
  const marked = versions.before !== undefined;
  const whole = !marked || item.change === 'added' || item.change === 'removed' || item.change === 'same';
  const side: Versions = !whole ? versions : { ...versions, before: undefined, after: (item.change === 'removed' && versions.before) || versions.after };
  const fields = item.fields
    // A removed item is shown as it was.
    .map((f) => (item.change === 'removed' ? { ...f, after: f.before } : f))
    .filter((f) => (whole ? f.after !== undefined : f.changed));
  const kind = marked ? item.change : 'same';
  const edited = item.change === 'moved' && fields.length > 0;
  return (
    <li data-change={kind} data-item={single ? undefined : item.key} aria-label={single ? undefined : item.component.name}>
      {(!single || kind === 'added' || kind === 'removed') && (
        <p className={styles.head}>
          {!single && <b>{item.component.name}</b>}
          {item.change === 'moved' && marked && !edited && <span className={styles.summary}>{summaryOf(item)}</span>}
          <What item={item} marked={marked} edited={edited} single={single} />
        </p>
      )}
      {fields.map((f) => (
        <Show key={f.field.name} change={f} versions={side} inner />
      ))}
      {whole && fields.length === 0 && <p className={styles.none}>{t.empty}</p>}
    </li>
  );
}

/** What happened to an item, in words. */
function What({ item: { change, from, to }, marked, edited, single }: { item: ItemChange; marked: boolean; edited: boolean; single: boolean }) {
  const t = useTexts('changes');
  if (!marked) return null;
  switch (change) {
    case 'added':
      return <Chip tone="good">{single ? t.added : t.addedAt(to! + 1)}</Chip>;
    case 'removed':
      return <Chip tone="bad">{single ? t.removed : t.removedAt(from! + 1)}</Chip>;
    case 'moved':
      return <Chip tone="accent">{(edited ? t.movedEdited : t.moved)(from! + 1, to! + 1)}</Chip>;
    case 'changed':
      return single ? null : <Chip tone="wait">{t.changed}</Chip>;
    case 'same':
      return null;
  }
}

function Unchanged({ items, versions, show, single }: { items: ItemChange[]; versions: Versions; show: Show; single: boolean }) {
  const t = useTexts('changes');
  const format = useFormat();
  const [open, setOpen] = useState(false);
  return (
    <li data-change="folded">
      <details onToggle={(e) => setOpen(e.currentTarget.open)}>
        <summary>{single ? t.unchanged : t.unchangedItems(format.number(items.length), namesOf(items))}</summary>
        {open && (
          <ol className={styles.items}>
            {items.map((item) => (
              <Item key={item.key} item={item} versions={{ ...versions, before: undefined }} show={show} single={single} />
            ))}
          </ol>
        )}
      </details>
    </li>
  );
}

/** The names of the components of items. */
const namesOf = (items: readonly ItemChange[]) => [...new Set(items.map((i) => i.component.name))].join(', ');

/** The first text of an item. */
function summaryOf(item: ItemChange): string {
  for (const { field, after, items } of item.fields) {
    const text = typeof after === 'string' ? (field.type === 'richtext' ? plainText(after) : after) : items?.[0] ? summaryOf(items[0]) : '';
    if (text) return text.length > 90 ? `${text.slice(0, 90).trimEnd()}…` : text;
  }
  return '';
}
