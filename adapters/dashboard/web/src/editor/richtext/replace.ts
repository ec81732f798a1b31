import type { Node } from '@tiptap/pm/model';
import type { EditorState, Transaction } from '@tiptap/pm/state';
import { hunks } from '../../compare/words';

/** Replaces the blocks in which a document differs, so that the selection in the others stays. It is no step of undo. */
export function replaceBlocks(state: EditorState, doc: Node): Transaction {
  const transaction = state.tr;
  let at = 0;
  for (const { same, before, after } of hunks([...state.doc.children], [...doc.children], (node) => JSON.stringify(node))) {
    const end = at + before.reduce((sum, node) => sum + node.nodeSize, 0);
    if (!same) transaction.replaceWith(transaction.mapping.map(at, -1), transaction.mapping.map(end), after);
    at = end;
  }
  return transaction.setMeta('addToHistory', false).setMeta('outside', true);
}
