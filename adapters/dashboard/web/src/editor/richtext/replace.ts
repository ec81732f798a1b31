import type { Node } from '@tiptap/pm/model';
import { TextSelection, type EditorState, type Transaction } from '@tiptap/pm/state';
import { hunks } from '../../compare/words';

/**
 * Replaces what differs in a document, so that the selection stays, also in a block that changes elsewhere. The
 * space at the ends of a block that is being typed stays: stored texts do not have it.
 */
export function replaceBlocks(state: EditorState, doc: Node): Transaction {
  const transaction = state.tr;
  let at = 0;
  for (const { same, before, after } of hunks([...state.doc.children], [...doc.children], look)) {
    const [from, to] = [at, at + before.reduce((sum, node) => sum + node.nodeSize, 0)];
    at = to;
    if (same) continue;
    if (before.length === after.length && before.every((node, i) => node.sameMarkup(after[i]!))) {
      let inside = from;
      before.forEach((node, i) => {
        replaceInside(transaction, inside + 1, node, after[i]!);
        inside += node.nodeSize;
      });
    } else transaction.replaceWith(transaction.mapping.map(from, -1), transaction.mapping.map(to), after);
  }
  return transaction.setMeta('outside', true);
}

/** A block without the space at its ends. */
const look = (node: Node) => JSON.stringify(node).replaceAll(/\s+"\}\]/g, '"}]').replaceAll(/("content":\[\{"type":"text","text":")\s+/g, '$1');

/** Replaces the part in which the contents of two blocks differ. at is the position of the content in the earlier document. */
function replaceInside(transaction: Transaction, at: number, before: Node, after: Node) {
  const start = before.content.findDiffStart(after.content);
  const end = before.content.findDiffEnd(after.content);
  if (start === null || end === null) return;
  const overlap = Math.max(0, start - Math.min(end.a, end.b));
  transaction.replace(transaction.mapping.map(at + start, -1), transaction.mapping.map(at + end.a + overlap), after.slice(start, end.b + overlap));
}

/** Goes to another document of the history of the form, with the cursor after what differs. */
export function restoreDoc(state: EditorState, doc: Node): Transaction {
  const transaction = state.tr;
  const start = state.doc.content.findDiffStart(doc.content);
  const end = state.doc.content.findDiffEnd(doc.content);
  if (start !== null && end !== null) {
    const overlap = Math.max(0, start - Math.min(end.a, end.b));
    transaction.replace(start, end.a + overlap, doc.slice(start, end.b + overlap));
    transaction.setSelection(TextSelection.near(transaction.doc.resolve(Math.min(end.b + overlap, transaction.doc.content.size))));
  }
  return transaction.setMeta('outside', true);
}
