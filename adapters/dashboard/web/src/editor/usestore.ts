import { useEffect, useRef, useState } from 'react';
import type { Schemas } from '../api/client';
import { componentsQuery, queryClient, useSession } from '../api/queries';
import { askSignIn, useSessionEnded } from '../api/session';
import { useTexts } from '../i18n/language';
import { focusNext } from '../ui/focus';
import { toast } from '../ui/toast';
import { backupOf, copyKey, newCopyKey } from './backup';
import { formOf } from './form';
import { bySlug, isStructured } from './items/structured';
import { EntryStore, type Entry } from './store';
import { transportOf } from './transport';
import { followUndo } from './undo';

// Loaded after the page. Until then, texts that two people changed wait for a choice.
let merging: typeof import('../compare/merge') | undefined;
let mergingItems: typeof import('./items/mergevalue') | undefined;

type StoreProps = { /** Whether the form is in a dialog above the page. */ inPlace?: boolean; entry?: Entry; translationOf?: number; onCreated?: (entry: Entry) => void; project: Schemas['Project']; collection: Schemas['Collection']; locale: string };

/** Loads the code that merges versions of values, and the components if the collection has items. */
async function loadMerging({ fields }: Schemas['Collection'], projectId: number) {
  const items = fields.some(isStructured) && Promise.all([import('./items/mergevalue'), queryClient.ensureQueryData(componentsQuery(projectId))]);
  merging = await import('../compare/merge');
  if (items) [mergingItems] = await items;
}

/** Creates the store of the entry and closes it with the page. */
export function useEntryStore({ inPlace = false, entry, translationOf, onCreated, project, collection, locale }: StoreProps) {
  const session = useSession();
  const created = useRef(onCreated);
  created.current = onCreated ?? created.current;
  const [store] = useState(() => {
    const copyOf = (id?: number) => backupOf(id !== undefined ? copyKey(session.id, id) : newCopyKey(session.id, collection.id, locale, translationOf));
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
    const left = () => void store.copyNow();
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
    addEventListener('pagehide', left);
    return () => {
      removeEventListener('keydown', save);
      removeEventListener('online', store.retry);
      document.removeEventListener('visibilitychange', hidden);
      removeEventListener('pagehide', left);
      store.close();
    };
  }, [store]);
  const t = useTexts('editor').notes;
  useEffect(() => followUndo(store, () => inPlace === (formOf() !== document), () => store.meta().undo.restarted && toast(t.restarted)), [store, inPlace, t]);
  // A new entry begins with its title.
  useEffect(() => {
    if (!entry) focusNext(() => formOf().querySelector<HTMLElement>('[data-field] :is(input, textarea, select, [contenteditable=true])'));
    // eslint-disable-next-line react-hooks/exhaustive-deps -- once, when the page opens
  }, []);
  return store;
}
