import { Fragment, Slice, type Node } from '@tiptap/pm/model';
import { EditorState, Selection } from '@tiptap/pm/state';
import { EditorView } from '@tiptap/pm/view';
import { lazy, Suspense, useCallback, useEffect, useId, useLayoutEffect, useRef, useState, type ReactNode, type RefObject } from 'react';
import { may } from '../../api/rights';
import { useTexts } from '../../i18n/language';
import { withTexts } from '../../texts/load';
import { Fault, Required } from '../../ui/textfields';
import ui from '../../ui/ui.module.css';
import { useEditing, useFields, type Field } from '../context';
import prose from '../readvalue.module.css';
import { Later } from '../store';
import { arrivals, nodeOf } from './arrivals';
import { docOf, htmlOf } from './convert';
import { parseHTML } from './html';
import { cleanPasted, targetsOf } from './paste';
import { PictureBar } from './picturebar';
import { pictureViews } from './pictures';
import styles from './richtext.module.css';
import { replaceBlocks, restoreDoc } from './replace';
import { plugins } from './setup';
import { LinkBar } from './link';
import { schema } from './schema';
import { observe, Toolbar } from './toolbar';

/** The documents of unsaved texts, so that undo restores them without parsing. */
const docs = new WeakMap<Later, Node>();

const UploadList = lazy(() => withTexts(import('../../media/uploadlist'), 'media').then((m) => ({ default: m.UploadList })));
const MediaPicker = lazy(() => withTexts(import('../../media/picker'), 'media').then((m) => ({ default: m.MediaPicker })));

/**
 * The rich text control. ProseMirror updates the DOM itself; React renders only the toolbar, when
 * its state changes. The HTML is serialized when it is saved, not on each key. focused: whether the user
 * is typing into the place of the control already.
 */
export function RichTextControl({ field, fault, aside, focused }: { field: Field; fault?: string; aside?: ReactNode; focused: RefObject<boolean> }) {
  const { project, store: form } = useEditing();
  const store = useFields();
  const t = useTexts('editor').richtext;
  const latest = useRef({ t, project });
  useEffect(() => void (latest.current = { t, project }), [t, project]);
  const id = useId();
  const place = useRef<HTMLDivElement>(null);
  const [view, setView] = useState<EditorView>();
  const [link, setLink] = useState(0); // the number of the open link bar, or 0
  const opened = useRef(0);
  const openLink = useCallback(() => setLink(++opened.current), []);
  const [picking, pick] = useState(false);
  const [removed, setRemoved] = useState<string[]>([]); // by the last paste

  // A layout effect, so that the editor appears in the same frame as the rest of the page.
  useLayoutEffect(() => {
    let last: unknown = store.raw(field.name);
    const files = arrivals(latest.current.project);
    const mayUpload = may(latest.current.project, 'media.write');
    const made = new EditorView(place.current, {
      state: EditorState.create({ doc: docOf(htmlText(store.value(field.name))), plugins: plugins(openLink, files.plugin) }),
      attributes: () => ({ class: prose.prose!, role: 'textbox', 'aria-multiline': 'true', 'aria-labelledby': `${id}-label`, 'aria-description': latest.current.t.leave }),
      nodeViews: pictureViews(() => latest.current, mayUpload),
      transformPastedHTML(html) {
        const pasted = cleanPasted(html, files.add, targetsIn(made));
        setRemoved(pasted.removed);
        return pasted.html;
      },
      handlePaste(view, event) {
        const pasted = filesOf(event.clipboardData);
        if (!mayUpload || pasted.length === 0) return false;
        setRemoved([]);
        view.dispatch(view.state.tr.replaceSelection(placesOf(pasted, files.add)).scrollIntoView());
        return true;
      },
      handleDrop(view, event) {
        const dropped = filesOf(event.dataTransfer);
        if (!mayUpload || dropped.length === 0) return false;
        event.preventDefault();
        const at = view.posAtCoords({ left: event.clientX, top: event.clientY })?.pos ?? view.state.selection.to;
        const places = placesOf(dropped, files.add);
        view.dispatch(view.state.tr.replace(at, at, places));
        return true;
      },
      dispatchTransaction(transaction) {
        const state = made.state.apply(transaction);
        made.updateState(state);
        if (!transaction.docChanged || transaction.getMeta('outside')) return;
        const { doc } = state;
        let html: string | null | undefined;
        last = new Later(() => (html === undefined ? (html = htmlOf(doc)) : html));
        docs.set(last as Later, doc);
        store.set(field.name, last, transaction.getMeta('addToHistory') === false ? null : undefined);
      },
    });
    // An external change, such as another writer's, replaces the text without an undo step.
    const unsubscribe = store.subscribe(field.name)(() => {
      const raw = store.raw(field.name);
      if (raw === last) return;
      last = raw;
      const undone = raw instanceof Later ? docs.get(raw) : undefined;
      made.dispatch(undone ? restoreDoc(made.state, undone) : replaceBlocks(made.state, docOf(htmlText(raw instanceof Later ? raw.read() : raw))));
    });
    setView(made);
    if (focused.current) {
      focused.current = false;
      made.dispatch(made.state.tr.setSelection(Selection.atEnd(made.state.doc)));
      made.focus();
    }
    return () => {
      unsubscribe();
      made.destroy();
    };
  }, [store, field.name, id, openLink, focused]);

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
        {view && <Toolbar view={view} store={form} label={field.label} onLink={openLink} onPicture={() => pick(true)} />}
        {view && link > 0 && <LinkBar key={link} view={view} onClose={() => setLink(0)} />}
        {view && <PictureBar view={view} />}
        <div ref={place} className={styles.text} onBlur={() => setRemoved([])} />
        <p role="status" className={styles.removed}>
          {removed.length > 0 && t.removed(removed.slice(0, 8).join(', ') + (removed.length > 8 ? ' …' : ''))}
        </p>
        {view && <Uploads projectId={project.id} view={view} />}
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
              view.dispatch(view.state.tr.replaceSelectionWith(nodeOf(item)).scrollIntoView());
              requestAnimationFrame(() => view.focus());
            }}
          />
        </Suspense>
      )}
    </div>
  );
}

/** The ids and names of the text, which pasted elements must not have, too. */
function targetsIn(view: EditorView) {
  const html = htmlOf(view.state.doc);
  return new Set(html === null ? [] : [...parseHTML(html).querySelectorAll('[id], [name]')].flatMap((element) => [...targetsOf(element)]));
}

/** The files of a paste or a drop that has nothing else: a table of Excel also brings its picture. */
function filesOf(data: DataTransfer | null): File[] {
  const files = [...(data?.files ?? [])];
  if (files.length === 0) return [];
  const body = parseHTML(data!.getData('text/html'));
  return body.textContent!.trim() === '' && body.querySelectorAll('table').length === 0 ? files : [];
}

/** The places of the uploads of files. */
const placesOf = (files: File[], add: (file: File) => number) => new Slice(Fragment.from(files.map((file) => schema.nodes.upload!.create({ id: add(file) }))), 0, 0);

/** The uploads that the text waits for, with their progress and faults. */
function Uploads({ projectId, view }: { projectId: number; view: EditorView }) {
  const [waits, setWaits] = useState(() => holdsUploads(view));
  useEffect(() => observe(view, () => setWaits(holdsUploads(view))), [view]);
  return (
    waits && (
      <Suspense>
        <UploadList projectId={projectId} inline />
      </Suspense>
    )
  );
}

function holdsUploads(view: EditorView) {
  let found = false;
  view.state.doc.descendants((node) => {
    found ||= node.type === schema.nodes.upload;
    return !found;
  });
  return found;
}

const htmlText = (value: unknown) => (typeof value === 'string' ? value : '');
