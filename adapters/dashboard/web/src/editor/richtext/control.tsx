import { EditorState } from '@tiptap/pm/state';
import { EditorView } from '@tiptap/pm/view';
import { lazy, Suspense, useCallback, useEffect, useId, useLayoutEffect, useRef, useState, type ReactNode } from 'react';
import { withTexts } from '../../texts/load';
import { Fault, Required } from '../../ui/textfields';
import ui from '../../ui/ui.module.css';
import { useEditing, type Field } from '../context';
import prose from '../readvalue.module.css';
import { Later } from '../store';
import { docOf, htmlOf } from './convert';
import styles from './richtext.module.css';
import { replaceBlocks } from './replace';
import { plugins } from './setup';
import { LinkBar } from './link';
import { schema } from './schema';
import { Toolbar } from './toolbar';

const MediaPicker = lazy(() => withTexts(import('../../media/picker'), 'media').then((m) => ({ default: m.MediaPicker })));

/**
 * The rich text control. ProseMirror updates the DOM itself; React renders only the toolbar, when
 * its state changes. The HTML is serialized when it is saved, not on each key.
 */
export function RichTextControl({ field, fault, aside }: { field: Field; fault?: string; aside?: ReactNode }) {
  const { store, project } = useEditing();
  const id = useId();
  const place = useRef<HTMLDivElement>(null);
  const [view, setView] = useState<EditorView>();
  const [link, setLink] = useState(0); // the number of the open link bar, or 0
  const opened = useRef(0);
  const openLink = useCallback(() => setLink(++opened.current), []);
  const [picking, pick] = useState(false);

  // A layout effect, so that the editor appears in the same frame as the rest of the page.
  useLayoutEffect(() => {
    let last: unknown = store.raw(field.name);
    const made = new EditorView(place.current, {
      state: EditorState.create({ doc: docOf(htmlText(store.value(field.name))), plugins: plugins(openLink) }),
      attributes: () => ({ class: prose.prose!, role: 'textbox', 'aria-multiline': 'true', 'aria-labelledby': `${id}-label` }),
      // The schema drops these attributes anyway, but the CSP would report them first.
      transformPastedHTML: (html) => html.replace(/\s(?:style|on\w+)\s*=\s*(?:"[^"]*"|'[^']*'|[^\s>]+)/gi, ''),
      dispatchTransaction(transaction) {
        const state = made.state.apply(transaction);
        made.updateState(state);
        if (!transaction.docChanged || transaction.getMeta('outside')) return;
        const { doc } = state;
        let html: string | null | undefined;
        last = new Later(() => (html === undefined ? (html = htmlOf(doc)) : html));
        store.set(field.name, last);
      },
    });
    // An external change, such as another writer's, replaces the text without an undo step.
    const unsubscribe = store.subscribe(field.name)(() => {
      const raw = store.raw(field.name);
      if (raw === last || raw instanceof Later) return;
      last = raw;
      made.dispatch(replaceBlocks(made.state, docOf(htmlText(raw))));
    });
    setView(made);
    return () => {
      unsubscribe();
      made.destroy();
    };
  }, [store, field.name, id, openLink]);

  useEffect(() => {
    if (!view) return;
    const described = [field.help && `${id}-help`, fault && `${id}-fault`].filter(Boolean).join(' ');
    for (const [name, value] of [['aria-invalid', fault ? 'true' : null], ['aria-describedby', described || null], ['aria-required', field.required ? 'true' : null]] as const) {
      if (value === null) view.dom.removeAttribute(name);
      else view.dom.setAttribute(name, value);
    }
  }, [view, fault, id, field.required, field.help]);

  return (
    <div className={ui.field}>
      <div className={ui.label} id={`${id}-label`} onClick={() => view?.focus()}>
        {field.required ? <Required label={field.label} /> : <span>{field.label}</span>}
        {aside && <small>{aside}</small>}
      </div>
      <div className={styles.box} data-invalid={fault ? true : undefined}>
        {view && <Toolbar view={view} label={field.label} onLink={openLink} onPicture={() => pick(true)} />}
        {view && link > 0 && <LinkBar key={link} view={view} onClose={() => setLink(0)} />}
        <div ref={place} className={styles.text} />
      </div>
      {field.help && (
        <div className={ui.hint} id={`${id}-help`}>
          {field.help}
        </div>
      )}
      {fault && <Fault id={`${id}-fault`}>{fault}</Fault>}
      {picking && view && (
        <Suspense>
          <MediaPicker
            projectId={project.id}
            types={['image']}
            isOpen
            onClose={() => pick(false)}
            onChoose={([item]) => {
              if (!item) return;
              const image = schema.nodes.image!.create({ src: item.fullWebpUrl ?? item.fullUrl, alt: item.caption, keep: { 'data-media': String(item.id) } });
              view.dispatch(view.state.tr.replaceSelectionWith(image).scrollIntoView());
              requestAnimationFrame(() => view.focus());
            }}
          />
        </Suspense>
      )}
    </div>
  );
}

const htmlText = (value: unknown) => (typeof value === 'string' ? value : '');
