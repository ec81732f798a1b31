import type { Mark } from '@tiptap/pm/model';
import type { EditorView } from '@tiptap/pm/view';
import { lazy, Suspense, useId, useState } from 'react';
import { useTexts } from '../../i18n/language';
import { Button } from '../../ui/button';
import { inputClass } from '../../ui/textfields';
import { useEditing } from '../context';
import { addressOf } from './address';
import styles from './richtext.module.css';
import { schema } from './schema';

// Loaded on demand, as for relations.
const EntryPicker = lazy(() => import('../controls/entrypicker'));

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

/** Chooses an entry of any collection, as the target of a link. */
function EntryChooser({ onPick }: { onPick: (id: number, title: string) => void }) {
  const t = useTexts('editor').link;
  const { project, collections, collection, locale } = useEditing();
  const id = useId();
  const [chosen, choose] = useState(collection.id);
  const target = collections.find((c) => c.id === chosen) ?? collection;
  return (
    <div className={styles.entryLink}>
      <select className={inputClass} aria-label={t.collection} value={target.id} onChange={(event) => choose(Number(event.target.value))}>
        {collections.map((c) => (
          <option key={c.id} value={c.id}>
            {c.name}
          </option>
        ))}
      </select>
      <span id={`${id}-label`} className="visually-hidden">
        {t.entry}
      </span>
      <Suspense>
        <EntryPicker key={target.id} target={{ projectId: project.id, collections: [target] }} locale={locale} attributes={{ id }} taken={[]} onPick={onPick} />
      </Suspense>
    </div>
  );
}

/** The field for the URL of a link, below the toolbar. Enter sets the link, Escape closes the field. */
export function LinkBar({ view, onClose }: { view: EditorView; onClose: () => void }) {
  const t = useTexts('editor').link;
  const [toEntry, setToEntry] = useState(false);
  const [existing] = useState(() => {
    const range = rangeOf(view);
    let href: string | undefined;
    view.state.doc.nodesBetween(range.from, Math.max(range.to, range.from + 1) > view.state.doc.content.size ? range.to : Math.max(range.to, range.from + 1), (node) => {
      const mark = link.isInSet(node.marks);
      if (mark) href ??= (mark.attrs.href as string | null) ?? '';
    });
    return href;
  });
  const [text, setText] = useState(existing ?? '');
  const close = () => {
    onClose();
    requestAnimationFrame(() => view.focus());
  };
  const set = (mark: Mark, name: string) => {
    const { tr } = view.state;
    const range = rangeOf(view); // the selection can change while the field is open
    if (range.from === range.to) tr.insert(range.from, schema.text(name, mark.addToSet(view.state.storedMarks ?? view.state.selection.$from.marks())));
    else tr.removeMark(range.from, range.to, link).addMark(range.from, range.to, mark);
    view.dispatch(tr);
    close();
  };
  const take = () => {
    const href = addressOf(text);
    if (href) set(link.create({ href }), href);
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
      <Button kind="quiet" aria-expanded={toEntry} onPress={() => setToEntry(!toEntry)}>
        {t.toEntry}
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
      {toEntry && <EntryChooser onPick={(id, title) => set(link.create({ keep: { 'data-entry': String(id) } }), title || `#${id}`)} />}
    </form>
  );
}
