import { NodeSelection } from '@tiptap/pm/state';
import type { EditorView } from '@tiptap/pm/view';
import { useEffect, useState } from 'react';
import { useTexts } from '../../i18n/language';
import { inputClass } from '../../ui/textfields';
import styles from './richtext.module.css';
import { schema } from './schema';
import { observe } from './toolbar';

/** The position and the alternative text of the selected picture. */
function selected({ state: { selection } }: EditorView) {
  return selection instanceof NodeSelection && selection.node.type === schema.nodes.image ? { position: selection.from, alt: (selection.node.attrs.alt as string | null) ?? '' } : null;
}

/** The field for the alternative text of the selected picture, below the toolbar. Escape returns to the text. */
export function PictureBar({ view }: { view: EditorView }) {
  const t = useTexts('editor').richtext;
  const [picture, setPicture] = useState(() => selected(view));
  useEffect(
    () =>
      observe(view, () => {
        const next = selected(view);
        setPicture((before) => (before?.position === next?.position && before?.alt === next?.alt ? before : next));
      }),
    [view],
  );
  if (!picture) return null;
  return (
    <form
      className={styles.linkBar}
      aria-label={t.picture}
      onSubmit={(event) => {
        event.preventDefault();
        view.focus();
      }}
      onKeyDown={(event) => {
        if (event.key !== 'Escape') return;
        event.stopPropagation();
        view.focus();
      }}
    >
      <label>
        {t.alt}
        <input
          className={inputClass}
          autoComplete="off"
          placeholder={t.altHint}
          value={picture.alt}
          onChange={(event) => view.dispatch(view.state.tr.setNodeAttribute(picture.position, 'alt', event.target.value))}
        />
      </label>
    </form>
  );
}
