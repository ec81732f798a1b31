import { lift, setBlockType, toggleMark, wrapIn } from '@tiptap/pm/commands';
import type { MarkType, Node, NodeType } from '@tiptap/pm/model';
import { liftListItem, sinkListItem, wrapInList } from '@tiptap/pm/schema-list';
import { TextSelection, type Command, type EditorState } from '@tiptap/pm/state';
import type { EditorView } from '@tiptap/pm/view';
import {
  BetweenHorizontalEnd,
  BetweenVerticalEnd,
  Bold,
  Heading2,
  Heading3,
  Image,
  IndentDecrease,
  IndentIncrease,
  Italic,
  Link,
  List,
  ListOrdered,
  PanelTop,
  Pilcrow,
  Redo2,
  Strikethrough,
  Table,
  TextQuote,
  Trash2,
  Undo2,
  TableColumnsSplit,
  TableRowsSplit,
  Underline,
} from 'lucide-react';
import { useEffect, useState, type ReactNode } from 'react';
import { Toolbar as AriaToolbar, ToggleButton } from 'react-aria-components';
import { useTexts } from '../../i18n/language';
import styles from './richtext.module.css';
import { useUndo } from '../context';
import type { EntryStore } from '../store';
import { undoIn } from '../undo';
import { schema } from './schema';

const { nodes, marks } = schema;

/** The part of the editor state that the toolbar shows. */
type Shown = { marks: string; block: string; list: string; quote: boolean; table: boolean };

function shownOf(state: EditorState): Shown {
  const { $from, from, to, empty } = state.selection;
  const active = (type: MarkType) => (empty ? !!type.isInSet(state.storedMarks ?? $from.marks()) : state.doc.rangeHasMark(from, to, type));
  let list = '';
  let quote = false;
  let table = false;
  for (let depth = $from.depth; depth > 0; depth--) {
    const { name } = $from.node(depth).type;
    if (!list && (name === 'bulletList' || name === 'orderedList')) list = name;
    quote ||= name === 'blockquote';
    table ||= name === 'table';
  }
  return {
    marks: [marks.strong, marks.em, marks.underline, marks.strike, marks.link].filter((m) => active(m!)).map((m) => m!.name).join(' '),
    block: $from.parent.type.name + ($from.parent.attrs.level ?? ''),
    list,
    quote,
    table,
  };
}

/** The toolbar of the editor. Arrow keys move between its buttons; it is a single tab stop. */
export function Toolbar({ view, store, label, onLink, onPicture }: { view: EditorView; store: EntryStore; label: string; onLink: () => void; onPicture: () => void }) {
  const t = useTexts('editor').toolbar;
  const [shown, setShown] = useState(() => shownOf(view.state));

  useEffect(() => {
    // The view notifies plugins of each change; render only when the state of the buttons changes.
    let key = JSON.stringify(shownOf(view.state));
    const plugin = {
      update: () => {
        const next = shownOf(view.state);
        const nextKey = JSON.stringify(next);
        if (nextKey === key) return;
        key = nextKey;
        setShown(next);
      },
    };
    return observe(view, plugin.update);
  }, [view]);

  const run = (command: Command) => {
    command(view.state, view.dispatch, view);
    view.focus();
  };
  // Few texts have tables, so their commands are loaded on demand.
  const change = (choose: (commands: typeof import('@tiptap/pm/tables')) => Command) => void import('@tiptap/pm/tables').then((commands) => run(choose(commands)));
  const has = (name: string) => shown.marks.split(' ').includes(name);
  const item = (name: string, icon: ReactNode, press: () => void, on?: boolean, disabled?: boolean) => (
    <Tool key={name} name={name} icon={icon} press={press} on={on} disabled={disabled} />
  );
  return (
    <div className={styles.toolbars} onMouseDown={(event) => event.preventDefault()}>
      <AriaToolbar aria-label={t.toolbar(label)} className={styles.toolbar!}>
        {item(t.paragraph, <Pilcrow aria-hidden />, () => run(setBlockType(nodes.paragraph!)), shown.block === 'paragraph')}
        {item(t.heading, <Heading2 aria-hidden />, () => run(heading(2, shown)), shown.block === 'heading2')}
        {item(t.subheading, <Heading3 aria-hidden />, () => run(heading(3, shown)), shown.block === 'heading3')}
        <i />
        {item(t.bold, <Bold aria-hidden />, () => run(toggleMark(marks.strong!)), has('strong'))}
        {item(t.italic, <Italic aria-hidden />, () => run(toggleMark(marks.em!)), has('em'))}
        {item(t.underline, <Underline aria-hidden />, () => run(toggleMark(marks.underline!)), has('underline'))}
        {item(t.strike, <Strikethrough aria-hidden />, () => run(toggleMark(marks.strike!)), has('strike'))}
        {item(t.link, <Link aria-hidden />, onLink, has('link'))}
        <i />
        {item(t.bullets, <List aria-hidden />, () => run(toggleList(nodes.bulletList!, shown)), shown.list === 'bulletList')}
        {item(t.numbers, <ListOrdered aria-hidden />, () => run(toggleList(nodes.orderedList!, shown)), shown.list === 'orderedList')}
        {shown.list && item(t.outdent, <IndentDecrease aria-hidden />, () => run(liftListItem(nodes.listItem!)))}
        {shown.list && item(t.indent, <IndentIncrease aria-hidden />, () => run(sinkListItem(nodes.listItem!)))}
        {item(t.quote, <TextQuote aria-hidden />, () => run(shown.quote ? lift : wrapIn(nodes.blockquote!)), shown.quote)}
        {item(t.table, <Table aria-hidden />, () => run(insertTable), shown.table, shown.table)}
        {item(t.picture, <Image aria-hidden />, onPicture)}
        <i />
        <UndoTools store={store} />
      </AriaToolbar>
      {shown.table && (
        <AriaToolbar aria-label={t.tableTools} className={styles.toolbar!}>
          {item(t.addRow, <BetweenHorizontalEnd aria-hidden />, () => change((c) => c.addRowAfter))}
          {item(t.addColumn, <BetweenVerticalEnd aria-hidden />, () => change((c) => c.addColumnAfter))}
          {item(t.headerRow, <PanelTop aria-hidden />, () => change((c) => c.toggleHeaderRow))}
          {item(t.deleteRow, <TableRowsSplit aria-hidden />, () => change((c) => c.deleteRow))}
          {item(t.deleteColumn, <TableColumnsSplit aria-hidden />, () => change((c) => c.deleteColumn))}
          {item(t.deleteTable, <Trash2 aria-hidden />, () => change((c) => c.deleteTable))}
        </AriaToolbar>
      )}
    </div>
  );
}

type ToolProps = { name: string; icon: ReactNode; press: () => void; on?: boolean; disabled?: boolean };

const Tool = ({ name, icon, press, on = false, disabled }: ToolProps) => (
  <ToggleButton aria-label={name} className={styles.tool!} isSelected={on} isDisabled={disabled} onChange={press}>
    {icon}
  </ToggleButton>
);

/** Undo and redo. They alone follow the form: a page of open blocks has a toolbar in each. */
function UndoTools({ store }: { store: EntryStore }) {
  const t = useTexts('editor').toolbar;
  const undo = useUndo(store);
  return (
    <>
      <Tool name={t.undo} icon={<Undo2 aria-hidden />} press={() => undoIn(store, 'undo')} disabled={!undo.can} />
      <Tool name={t.redo} icon={<Redo2 aria-hidden />} press={() => undoIn(store, 'redo')} disabled={!undo.redo} />
    </>
  );
}

const heading = (level: number, shown: Shown) => (shown.block === `heading${level}` ? setBlockType(nodes.paragraph!) : setBlockType(nodes.heading!, { level }));

function toggleList(type: NodeType, shown: Shown): Command {
  if (shown.list === type.name) return liftListItem(nodes.listItem!);
  if (!shown.list) return wrapInList(type);
  // Inside the other kind of list: convert it and keep its items.
  return (state, dispatch) => {
    const { $from } = state.selection;
    for (let depth = $from.depth; depth > 0; depth--) {
      if (!['bulletList', 'orderedList'].includes($from.node(depth).type.name)) continue;
      dispatch?.(state.tr.setNodeMarkup($from.before(depth), type));
      return true;
    }
    return false;
  };
}

const insertTable: Command = (state, dispatch) => {
  const row = (kind: NodeType) => nodes.tableRow!.create(null, Array.from({ length: 3 }, () => kind.createAndFill()!));
  const table = nodes.table!.create(null, [row(nodes.tableHeader!), row(nodes.tableCell!), row(nodes.tableCell!)]);
  const { tr } = state;
  const before = tr.selection.from;
  tr.replaceSelectionWith(table);
  // The table may be at a later position, after the rest of a split paragraph.
  tr.setSelection(TextSelection.near(tr.doc.resolve(startOf(tr.doc, table, before))));
  dispatch?.(tr.scrollIntoView());
  return true;
};

/** The position inside the first cell of a table that was inserted near from. */
function startOf(doc: Node, table: Node, from: number) {
  let found = from;
  doc.nodesBetween(Math.max(0, from - 2), Math.min(doc.content.size, from + table.nodeSize + 2), (node, position) => {
    if (node.type === table.type && node.eq(table)) found = position + 4;
    return found === from;
  });
  return found;
}

const observers = new WeakMap<EditorView, Set<() => void>>();

/** Calls fn after each change of the view's state. */
export function observe(view: EditorView, fn: () => void) {
  let set = observers.get(view);
  if (!set) {
    const made = new Set<() => void>();
    set = made;
    observers.set(view, made);
    const update = view.updateState.bind(view);
    view.updateState = (state) => {
      update(state);
      made.forEach((observer) => observer());
    };
  }
  set.add(fn);
  return () => void set.delete(fn);
}
