import { Link, useBlocker } from '@tanstack/react-router';
import { History } from 'lucide-react';
import { lazy, Suspense, useCallback, useEffect, useMemo, useRef, useState } from 'react';
import type { Schemas } from '../api/client';
import { componentsQuery, queryClient, useSession } from '../api/queries';
import { askSignIn, useSessionEnded } from '../api/session';
import { ApiButton } from '../content/apibutton';
import { StatusChip } from '../content/statuschip';
import { titleField } from '../content/fields';
import { useTexts } from '../i18n/language';
import { Page } from '../shell/page';
import { Skeleton } from '../ui/basics';
import { ButtonLink } from '../ui/button';
import { focusNext } from '../ui/focus';
import { Confirm } from '../ui/overlays';
import { backupOf } from './backup';
import { EditingContext, useEditing, useMeta, useValue, type Editing } from './context';
import styles from './editor.module.css';
import { Fields } from './fields';
import { bySlug, isStructured } from './items/structured';
import { Notes } from './notes';
import { MainButton } from './panel/mainbutton';
import { Panel } from './panel/panel';
import { useActions } from './panel/actions';
import { SaveStatus } from './savestatus';
import { EntryStore, type Entry } from './store';
import { transportOf } from './transport';

// Loaded on demand.
const SeeDraft = lazy(() => import('./seedraft').then((m) => ({ default: m.SeeDraft })));
const Beside = lazy(() => import('./beside').then((m) => ({ default: m.Beside })));
const Conflicts = lazy(() => import('./conflicts').then((m) => ({ default: m.Conflicts })));

// Loaded after the page. Until then, texts that two people changed wait for a choice.
let merging: typeof import('../compare/merge') | undefined;
let mergingItems: typeof import('./items/mergevalue') | undefined;

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
  const store = useEntryStore({ entry, translationOf, onCreated, project, collection, locale });
  const editing = useMemo(() => ({ store, project, collection, collections, locale }), [store, project, collection, collections, locale]);
  const place = { projectId: project.id, collectionId: collection.id };
  const meta = useMeta(store);
  const actions = useActions(editing);
  const id = meta.entry?.id;
  const group = id ?? translationOf;
  return (
    <EditingContext value={editing}>
      <TitledPage
        above={[
          <Link key="c" activeOptions={{ exact: true }} to="/projects/$projectId/collections/$collectionId" params={place}>
            {collection.name}
          </Link>,
        ]}
        status={meta.entry && <StatusChip entry={meta.entry} />}
        actions={
          <>
            <SaveStatus store={store} />
            {id !== undefined && (
              <span className={styles.wideOnly}>
                {project.previewUrl !== null && (
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
        panel={<Panel actions={actions} translationOf={translationOf} beside={beside} />}
        panelLabel={t.panel}
      >
        <div className={styles.page} onBlur={(event) => leaves(event) && store.complain()} data-beside={beside !== undefined || undefined}>
          <Notes />
          {beside !== undefined && group !== undefined ? (
            <Suspense fallback={<Skeleton />}>
              <Beside locale={beside} entryId={group} />
            </Suspense>
          ) : (
            <Fields />
          )}
        </div>
      </TitledPage>
      {meta.conflicts.length > 0 && (
        <Suspense fallback={null}>
          <Conflicts />
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

type StoreProps = { entry?: Entry; translationOf?: number; onCreated?: (entry: Entry) => void; project: Schemas['Project']; collection: Schemas['Collection']; locale: string };

/** Loads the code that merges versions of values, and the components if the collection has items. */
async function loadMerging({ fields }: Schemas['Collection'], projectId: number) {
  const items = fields.some(isStructured) && Promise.all([import('./items/mergevalue'), queryClient.ensureQueryData(componentsQuery(projectId))]);
  merging = await import('../compare/merge');
  if (items) [mergingItems] = await items;
}

/** Creates the store of the entry and closes it with the page. */
function useEntryStore({ entry, translationOf, onCreated, project, collection, locale }: StoreProps) {
  const session = useSession();
  const created = useRef(onCreated);
  created.current = onCreated ?? created.current;
  const [store] = useState(() => {
    const copyOf = (id?: number) => backupOf(`${session.id} ${id !== undefined ? `entry ${id}` : `new ${collection.id} ${locale} ${translationOf ?? ''}`}`);
    let copy = copyOf(entry?.id);
    const createdAs = (made: Entry) => {
      void copy.remove();
      copy = copyOf(made.id);
      created.current?.(made);
    };
    const place = { projectId: project.id, collectionId: collection.id };
    const published = entry && (entry.state === 'published' || entry.publishedAt !== null);
    const slugs = collection.fields.filter((f) => f.type === 'slug' && f.source && !f.multiple);
    return new EntryStore(entry, {
      transport: transportOf(place, entry ? undefined : { locale, translationOf, created: createdAs }),
      backup: { read: () => copy.read(), write: (kept) => copy.write(kept), remove: () => copy.remove() },
      json: collection.fields.filter((f) => f.type === 'json').map((f) => f.name),
      secret: collection.fields.filter((f) => f.type === 'password' || f.hidden).map((f) => f.name),
      // The URL of a published entry must not change with its title.
      mergeValue: (name, ...versions) => {
        const field = collection.fields.find((f) => f.name === name);
        const mergeText = (base: unknown, mine: unknown, theirs: unknown) => merging?.mergedText(base, mine, theirs, locale);
        if (field && isStructured(field)) {
          const list = queryClient.getQueryData<{ data: Schemas['Component'][] }>(componentsQuery(project.id).queryKey)?.data;
          return list && mergingItems?.mergedItems(field, bySlug(list), ...versions, mergeText);
        }
        return field?.type === 'richtext' && !field.multiple ? mergeText(...versions) : undefined;
      },
      following: new Map(slugs.filter((f) => !published && (!entry?.fields[f.name] || entry.derived?.includes(f.name))).map((f) => [f.name, f.source!])),
      initial: Object.fromEntries(collection.fields.filter((f) => f.default !== undefined && f.default !== null).map((f) => [f.name, f.default])),
    });
  });
  const ended = useSessionEnded();
  useEffect(() => {
    if (!ended) store.retry();
  }, [ended, store]);
  useEffect(() => {
    if (entry) store.refresh(entry);
  }, [entry, store]);
  useEffect(() => {
    void loadMerging(collection, project.id).then(store.mergeConflicts);
    store.open();
    void store.restore();
    const hidden = () => {
      if (document.visibilityState !== 'hidden') return;
      void store.copyNow();
      if (store.unsaved && store.meta().restored === undefined) void store.flush();
    };
    // Many users press Ctrl+S from habit: save at once instead of opening the browser's dialog.
    const save = (event: KeyboardEvent) => {
      if (event.key !== 's' || !(event.ctrlKey || event.metaKey) || event.altKey || event.shiftKey) return;
      event.preventDefault();
      const { state, conflicts } = store.meta();
      if (state.kind === 'signedOut') askSignIn(true);
      else if (conflicts.length > 0) store.choose(true);
      else if (store.unsaved) void store.flush();
    };
    addEventListener('keydown', save);
    addEventListener('online', store.retry);
    document.addEventListener('visibilitychange', hidden);
    return () => {
      removeEventListener('keydown', save);
      removeEventListener('online', store.retry);
      document.removeEventListener('visibilitychange', hidden);
      store.close();
    };
  }, [store]);
  // A new entry begins with its title.
  useEffect(() => {
    if (!entry) focusNext(() => document.querySelector<HTMLElement>('[data-field] :is(input, textarea, select, [contenteditable=true])'));
    // eslint-disable-next-line react-hooks/exhaustive-deps -- once, when the page opens
  }, []);
  return store;
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
