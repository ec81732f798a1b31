import { Link, useBlocker } from '@tanstack/react-router';
import { History } from 'lucide-react';
import { lazy, Suspense, useCallback, useMemo, useRef, useState } from 'react';
import { ApiButton } from '../content/apibutton';
import { StatusChip } from '../content/statuschip';
import { titleField } from '../content/fields';
import { useFormat } from '../i18n/format';
import { useTexts } from '../i18n/language';
import { Page } from '../shell/page';
import { withTexts } from '../texts/load';
import { Chip, Skeleton } from '../ui/basics';
import { ButtonLink } from '../ui/button';
import { Confirm } from '../ui/overlays';
import { useRoomForPanel } from '../ui/width';
import { EditingContext, RelatedContext, useEditing, useMeta, useValue, type Editing, type Related } from './context';
import styles from './editor.module.css';
import { Fields } from './fields';
import { Notes } from './notes';
import { MainButton } from './panel/mainbutton';
import { Panel } from './panel/panel';
import { useActions } from './panel/actions';
import { SaveStatus } from './savestatus';
import type { Entry, EntryStore } from './store';
import { useEntryStore } from './usestore';

// Loaded on demand.
const SeeDraft = lazy(() => import('./seedraft').then((m) => ({ default: m.SeeDraft })));
const Beside = lazy(() => import('./beside').then((m) => ({ default: m.Beside })));
const Conflicts = lazy(() => import('./conflicts').then((m) => ({ default: m.Conflicts })));
const InPlace = lazy(() => import('./inplace'));
const CommentsInEditor = lazy(() => withTexts(import('../comments/ineditor'), 'comments', 'review').then((m) => ({ default: m.CommentsInEditor })));
const PreviewButton = lazy(() => withTexts(import('../preview/ineditor'), 'preview').then((m) => ({ default: m.PreviewButton })));
const PreviewTabs = lazy(() => withTexts(import('../preview/ineditor'), 'preview').then((m) => ({ default: m.PreviewTabs })));
const EditorPreview = lazy(() => withTexts(import('../preview/ineditor'), 'preview').then((m) => ({ default: m.EditorPreview })));
const TouchBar = lazy(() => import('./touchbar').then((m) => ({ default: m.TouchBar })));

type Props = Omit<Editing, 'store'> & {
  /** undefined for a new entry. */
  entry?: Entry;
  translationOf?: number;
  onCreated?: (entry: Entry) => void;
  /** The locale of the translation beside the fields. */
  beside?: string;
};

/** Edits one entry. */
export function EntryEditor({ entry, translationOf, onCreated, beside, project, collection, collections, locale }: Props) {
  const t = useTexts('editor').entryeditor;
  const format = useFormat();
  const store = useEntryStore({ entry, translationOf, onCreated, project, collection, locale });
  const editing = useMemo(() => ({ store, project, collection, collections, locale }), [store, project, collection, collections, locale]);
  const place = { projectId: project.id, collectionId: collection.id };
  const meta = useMeta(store);
  const actions = useActions(editing);
  const id = meta.entry?.id;
  const group = id ?? translationOf;
  const [related, showRelated] = useState<Related>();
  const wide = useRoomForPanel();
  const page = useRef<HTMLDivElement>(null);
  const previews = collection.previewUrl !== null && id !== undefined;
  const [isOpen, onChange] = useState(false);
  const preview = previews && isOpen && (
    <Suspense fallback={<Skeleton />}>
      <EditorPreview isTab={!wide} onClose={() => onChange(false)} />
    </Suspense>
  );
  return (
    <EditingContext value={editing}>
      <TitledPage
        above={[
          <Link key="c" activeOptions={{ exact: true }} to="/projects/$projectId/collections/$collectionId" params={place}>
            {collection.name}
          </Link>,
        ]}
        status={
          <>
            {project.locales.length > 1 && (
              <Chip plain>
                <span className={styles.language} data-tag={locale}>
                  {format.locale(locale)}
                </span>
              </Chip>
            )}
            {meta.entry && <StatusChip entry={meta.entry} />}
          </>
        }
        actions={
          <>
            <SaveStatus store={store} />
            {id !== undefined && (
              <span className={styles.wideOnly}>
                {wide && previews && (
                  <Suspense>
                    <PreviewButton {...{ isOpen, onChange }} />
                  </Suspense>
                )}
                {wide && project.previewUrl !== null && (
                  <Suspense>
                    <SeeDraft />
                  </Suspense>
                )}
                <ButtonLink to="/projects/$projectId/collections/$collectionId/entries/$entryId/history" params={{ ...place, entryId: id }} kind="quiet" icon={<History aria-hidden />}>
                  {t.history}
                </ButtonLink>
                <ApiButton project={project} collection={collection} of={{ entry: id }} />
              </span>
            )}
            <MainButton actions={actions} />
          </>
        }
        panel={wide && preview ? preview : <Panel actions={actions} translationOf={translationOf} beside={beside} />}
        panelLabel={t.panel}
        panelWide={wide && isOpen && previews}
      >
        {!wide && previews && (
          <Suspense>
            <PreviewTabs {...{ isOpen, onChange }} />
          </Suspense>
        )}
        {!wide && preview}
        <div ref={page} hidden={!wide && isOpen && previews} className={styles.page} onBlur={(event) => leaves(event) && store.complain()} data-beside={beside !== undefined || undefined}>
          <Notes />
          {meta.entry?.approval && (
            <Suspense>
              <CommentsInEditor root={page} />
            </Suspense>
          )}
          <RelatedContext value={showRelated}>
            {beside !== undefined && group !== undefined ? (
              <Suspense fallback={<Skeleton />}>
                <Beside locale={beside} entryId={group} />
              </Suspense>
            ) : (
              <Fields />
            )}
          </RelatedContext>
          {!wide && (
            <Suspense>
              <TouchBar />
            </Suspense>
          )}
        </div>
      </TitledPage>
      {meta.conflicts.length > 0 && (
        <Suspense fallback={null}>
          <Conflicts />
        </Suspense>
      )}
      {related && (
        <Suspense fallback={null}>
          <InPlace {...related} onClose={() => showRelated(undefined)} />
        </Suspense>
      )}
      <Leaving store={store} />
    </EditingContext>
  );
}

/** Whether the focus leaves the fields for another part of the page, and not for a menu or dialog of theirs. */
function leaves({ currentTarget, relatedTarget }: React.FocusEvent<HTMLElement>) {
  return relatedTarget instanceof Element && !currentTarget.contains(relatedTarget) && relatedTarget.closest('[role=dialog], [role=listbox], [role=menu], [role=alertdialog]') === null;
}

/** The page, titled with the current title of the entry. */
function TitledPage(props: Omit<React.ComponentProps<typeof Page>, 'title' | 'width'>) {
  const t = useTexts('editor').entryeditor;
  const { store, collection } = useEditing();
  const field = titleField(collection);
  const value = useValue(field?.name ?? '');
  const { entry } = useMeta(store);
  const title = typeof value === 'string' && value.trim() ? value : entry && !field ? `#${entry.id}` : t.untitled;
  return (
    <Page {...props} title={title} width="full">
      <h1 className="visually-hidden">{title}</h1>
      {props.children}
    </Page>
  );
}

/** Saves before the user leaves the page, and asks for confirmation if that fails. */
function Leaving({ store }: { store: EntryStore }) {
  const t = useTexts('editor').entryeditor;
  const shouldBlock = useCallback(
    async ({ current, next }: { current: { params: unknown }; next: { params: unknown } }) => {
      const id = store.meta().entry?.id;
      const stays = (at: { params: unknown }) => id !== undefined && (at.params as { entryId?: number | string }).entryId == id;
      if (!store.unsaved || stays(next) || next === current) return false;
      if (store.meta().restored !== undefined) return false;
      return !(await store.flush());
    },
    [store],
  );
  const blocker = useBlocker({ shouldBlockFn: shouldBlock as never, enableBeforeUnload: () => store.unsaved && store.meta().restored === undefined, withResolver: true });
  return (
    <Confirm title={t.leaveTitle} isOpen={blocker.status === 'blocked'} onClose={() => blocker.reset?.()} onConfirm={() => blocker.proceed?.()} action={t.leave}>
      <p>{t.leaveText}</p>
    </Confirm>
  );
}
