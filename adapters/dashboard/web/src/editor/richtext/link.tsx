import type { EditorView } from '@tiptap/pm/view';
import { useState } from 'react';
import { useTexts } from '../../i18n/language';
import { Button } from '../../ui/button';
import { inputClass } from '../../ui/textfields';
import { addressOf } from './address';
import styles from './richtext.module.css';
import { schema } from './schema';

const link = schema.marks.link!;

/** The selection, or the range of the link at the cursor. */
function rangeOf(view: EditorView) {
  const { from, to, empty, $from } = view.state.selection;
  if (!empty) return { from, to };
  const mark = link.isInSet($from.marks()) || ($from.nodeAfter && link.isInSet($from.nodeAfter.marks));
  if (!mark) return { from, to };
  const parent = $from.parent;
  let start = $from.start();
  let found = { from, to };
  parent.forEach((node, offset) => {
    const [a, b] = [start + offset, start + offset + node.nodeSize];
    if (mark.isInSet(node.marks) && a <= from && from <= b) found = { from: a, to: b };
  });
  return found;
}

/** The field for the URL of a link, below the toolbar. Enter sets the link, Escape closes the field. */
export function LinkBar({ view, onClose }: { view: EditorView; onClose: () => void }) {
  const t = useTexts('editor').link;
  const [existing] = useState(() => {
    const range = rangeOf(view);
    let href: string | undefined;
    view.state.doc.nodesBetween(range.from, Math.max(range.to, range.from + 1) > view.state.doc.content.size ? range.to : Math.max(range.to, range.from + 1), (node) => {
      href ??= link.isInSet(node.marks)?.attrs.href as string | undefined;
    });
    return href;
  });
  const [text, setText] = useState(existing ?? '');
  const close = () => {
    onClose();
    requestAnimationFrame(() => view.focus());
  };
  const take = () => {
    const href = addressOf(text);
    if (!href) return;
    const { tr } = view.state;
    const range = rangeOf(view); // the selection can change while the field is open
    const mark = link.create({ href });
    if (range.from === range.to) tr.insert(range.from, schema.text(href, [mark]));
    else tr.removeMark(range.from, range.to, link).addMark(range.from, range.to, mark);
    view.dispatch(tr);
    close();
  };
  return (
    <form
      className={styles.linkBar}
      aria-label={t.title}
      onSubmit={(event) => {
        event.preventDefault();
        take();
      }}
      onKeyDown={(event) => {
        if (event.key !== 'Escape') return;
        event.stopPropagation();
        close();
      }}
    >
      <input className={inputClass} aria-label={t.address} placeholder="https://" autoFocus autoComplete="off" spellCheck={false} value={text} onChange={(e) => setText(e.target.value)} />
      <Button type="submit" isDisabled={!addressOf(text)}>
        {t.take}
      </Button>
      {existing !== undefined && (
        <Button
          kind="quiet"
          onPress={() => {
            const { from, to } = rangeOf(view);
            view.dispatch(view.state.tr.removeMark(from, to, link));
            close();
          }}
        >
          {t.remove}
        </Button>
      )}
      <Button kind="quiet" onPress={close}>
        {t.cancel}
      </Button>
    </form>
  );
}
