import type { Node } from '@tiptap/pm/model';
import { liftListItem, sinkListItem } from '@tiptap/pm/schema-list';
import { Plugin, TextSelection, type Command, type EditorState } from '@tiptap/pm/state';
import { schema } from './schema';

/** What Tab acts on at the selection: the innermost cell or list item. */
function innermost({ selection: { $from } }: EditorState) {
  for (let depth = $from.depth; depth > 0; depth--) {
    const { type } = $from.node(depth);
    if (type === schema.nodes.listItem) return { depth, kind: 'item' as const };
    if (type.spec.tableRole === 'cell' || type.spec.tableRole === 'header_cell') return { depth, kind: 'cell' as const };
  }
  return null;
}

/** The positions inside the cells of the innermost table, in their order, and the index of the present cell. */
function cellsOf(state: EditorState, cellDepth: number) {
  const { $from } = state.selection;
  const table = cellDepth - 2;
  const start = $from.start(table);
  const cells: number[] = [];
  $from.node(table).forEach((row, rowOffset) => row.forEach((_cell, offset) => cells.push(start + rowOffset + 1 + offset + 1)));
  return { cells, index: cells.indexOf($from.start(cellDepth)) };
}

/** A row of empty cells for the end of a table, with a header where its last row begins with one. */
function emptyRow(table: Node) {
  let width = 0;
  table.firstChild!.forEach((cell) => (width += cell.attrs.colspan as number));
  const { tableCell, tableHeader, tableRow } = schema.nodes;
  const headed = table.childCount > 1 && table.lastChild!.firstChild?.type === tableHeader;
  return tableRow!.create({ section: table.lastChild!.attrs.section === 'thead' ? 'tbody' : table.lastChild!.attrs.section }, Array.from({ length: width }, (_, i) => (i === 0 && headed ? tableHeader! : tableCell!).createAndFill()!));
}

/** Moves to the next cell, or back. After the last cell it adds a row. */
function moveCell(cellDepth: number, step: 1 | -1): Command {
  return (state, dispatch) => {
    const { cells, index } = cellsOf(state, cellDepth);
    const { tr } = state;
    let target = cells[index + step];
    if (target === undefined && step === 1) {
      const table = cellDepth - 2;
      const end = state.selection.$from.end(table);
      tr.insert(end, emptyRow(state.selection.$from.node(table)));
      target = end + 2; // inside the first cell of the row
    }
    if (target !== undefined) dispatch?.(tr.setSelection(TextSelection.near(tr.doc.resolve(target))).scrollIntoView());
    return true;
  };
}

function tab(step: 1 | -1): Command {
  return (state, dispatch) => {
    const at = innermost(state);
    if (at === null) return false;
    if (at.kind === 'cell') return moveCell(at.depth, step)(state, dispatch);
    (step === 1 ? sinkListItem : liftListItem)(schema.nodes.listItem!)(state, dispatch);
    return true;
  };
}

/**
 * Tab and Shift+Tab move between the cells of a table and change the level of a list item. After
 * Escape they leave the text, as everywhere else, so that the keyboard is never trapped.
 */
export function tabKeys() {
  let leaves = false;
  const forward = tab(1);
  const back = tab(-1);
  return new Plugin({
    props: {
      handleKeyDown(view, event) {
        if (event.key === 'Escape') leaves = true;
        else if (event.key !== 'Tab' && event.key !== 'Shift') leaves = false;
        if (event.key !== 'Tab' || event.ctrlKey || event.altKey || event.metaKey || leaves) return false;
        return (event.shiftKey ? back : forward)(view.state, view.dispatch);
      },
      handleDOMEvents: {
        blur() {
          leaves = false;
          return false;
        },
      },
    },
  });
}
