import { EditorState, TextSelection } from '@tiptap/pm/state';
import { expect, test } from 'vitest';
import { replaceBlocks } from './replace';
import { schema } from './schema';

const doc = (...texts: string[]) => schema.node('doc', null, texts.map((t) => schema.node('paragraph', null, t ? [schema.text(t)] : [])));

/** A document with the cursor at "|", and the text that another person saved. */
test.each([
  ['another block', ['one |', 'two'], ['one', 'two three'], ['one |', 'two three']],
  ['a block before it', ['one', 'two| three'], ['zero', 'one more', 'two three'], ['zero', 'one more', 'two| three']],
  ['the same block', ['one two| three'], ['one two three four'], ['one two| three four']],
  ['the beginning of the same block', ['one two|'], ['zero one two'], ['zero one two|']],
])('the cursor stays where the user types when %s changes', (_, before, after, result) => {
  let at = 0;
  let cursor = 0;
  for (const text of before) {
    if (text.includes('|')) cursor = at + 1 + text.indexOf('|');
    at += text.replace('|', '').length + 2;
  }
  const start = EditorState.create({ doc: doc(...before.map((t) => t.replace('|', ''))) });
  const state = start.apply(start.tr.setSelection(TextSelection.create(start.doc, cursor)));
  const next = state.apply(replaceBlocks(state, doc(...after)));
  const shown = next.apply(next.tr.insertText('|')).doc;
  expect([...shown.children].map((p) => p.textContent)).toEqual(result);
});
