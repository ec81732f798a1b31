import { useQuery } from '@tanstack/react-query';
import { useNavigate } from '@tanstack/react-router';
import { createElement, useState } from 'react';
import { api, dataOf, ifMatch, type Schemas } from '../../api/client';
import { ApiError, asApiError } from '../../api/error';
import { queryClient, useSession } from '../../api/queries';
import { useTexts } from '../../i18n/language';
import { ProblemLine } from '../../ui/basics';
import { focusNext } from '../../ui/focus';
import { useKept } from '../../ui/kept';
import { toast } from '../../ui/toast';
import { useMeta, type Editing } from '../context';
import { entryQuery, governing, standingChanged, workflowQuery } from '../queries';
import type { Entry, EntryStore } from '../store';

/** Why an entry goes offline: with an emergency, an admin does not wait for the review that the workflow asks for. */
export type Why = { reason?: string; emergency?: string };

/** The times of publication (null: at once) and unpublication (null: never). */
export type Times = { publishAt: string | null; unpublishAt: string | null };

const content = '/api/projects/{projectId}/collections/{collectionId}/content/{contentId}';

export type Actions = ReturnType<typeof useActions>;

/** The actions that change the state of the entry. */
export function useActions({ store, project, collection }: Editing) {
  const t = useTexts('editor').actions;
  const navigate = useNavigate();
  const { entry } = useMeta(store);
  const [pending, setPending] = useState<string>();
  const [error, setError] = useState<ApiError>();
  const [times, setTimes] = useState<Times>({ publishAt: null, unpublishAt: null });
  /** What the submitter says to the reviewers. */
  const [kept, keepNote] = useKept<string>(`${useSession().id} note ${entry?.id ?? 'new'}`);
  const [firstNote, setFirstNote] = useState(''); // of a new entry, which has no id to keep it by
  const note = kept ?? firstNote;
  /** Counts the rejected publications. The list of faults takes the focus after each. */
  const [refusals, setRefusals] = useState(0);
  const effective = useQuery(workflowQuery(project.id)).data?.workflow;
  const workflow = governing(effective, collection);
  const place = { projectId: project.id, collectionId: collection.id };
  const header = (e: Entry) => ({ 'If-Match': ifMatch(e) });
  const path = (e: Entry) => ({ ...place, contentId: e.id });

  /** Reads the entry again, for responses that do not contain it. */
  const reload = async (id: number) => dataOf(api.GET(content, { params: { path: { ...place, contentId: id } } }));

  /** Shows an error in the panel, and above the page if the button may be far from it and the same action may succeed later. */
  const fail = (failed: ApiError) => {
    setError(failed);
    if (failed.temporary) toast(failed.status === 0 ? t.notDoneOffline : t.notDone);
  };

  const run = async (name: string, saveFirst: boolean, act: (entry: Entry) => Promise<Entry | undefined>) => {
    if (pending) return;
    setPending(name);
    setError(undefined);
    try {
      if (saveFirst && !(await saved(store))) {
        if (store.meta().state.kind === 'offline') return fail(ApiError.offline(null));
        store.complain();
        store.choose(true); // if two versions are in conflict
        return setRefusals((n) => n + 1);
      }
      const before = store.meta().entry;
      if (!before) return;
      const after = await act(before);
      if (after) {
        store.accept(after);
        queryClient.setQueryData(entryQuery(place, after.id).queryKey, after);
      }
      standingChanged();
    } catch (caught) {
      const failed = asApiError(caught);
      const fields = failed.faults.filter((fault) => fault.location.startsWith('fields.'));
      if (failed.status === 412 && failed.problem.current) store.refresh(failed.problem.current as Entry);
      if (failed.status === 422 && fields.length > 0) {
        store.refusePublication(fields);
        setRefusals((n) => n + 1);
      } else {
        fail(failed);
      }
    } finally {
      setPending(undefined);
    }
  };

  const publish = (wanted: Times = times) =>
    run('publish', true, async (e) => {
      const body = { ...(wanted.publishAt && { publishAt: wanted.publishAt }), ...(wanted.unpublishAt && { unpublishAt: wanted.unpublishAt }), ...(workflow && note.trim() && { comment: note.trim() }) };
      const { data, response } = await api.POST(`${content}/publish`, { params: { path: path(e), header: { ...header(e), 'Idempotency-Key': crypto.randomUUID() } }, body });
      setTimes({ publishAt: null, unpublishAt: null });
      if (response.status !== 202) {
        toast(wanted.publishAt ? t.scheduled : t.published);
        return data as Entry;
      }
      const request = data as Schemas['ApprovalRequest'];
      keepNote(undefined);
      setFirstNote('');
      toast(t.sent(request.releaseNumber), {
        label: t.openReview,
        run: () => void navigate({ to: '/review/$projectId/$collectionId/$entryId', params: { ...place, entryId: e.id } }),
      });
      const after = await reload(e.id);
      focusNext(() => document.querySelector<HTMLElement>('[data-main-action]'));
      return after;
    });

  return {
    entry,
    governed: workflow === undefined ? undefined : workflow !== null,
    /** Whether the workflow of the Project exempts the collection. */
    exempt: workflow === null && !!effective,
    workflow: workflow ?? undefined,
    pending,
    error,
    refusals,
    times,
    setTimes,
    note,
    setNote: entry ? keepNote : setFirstNote,
    publish,
    /** Withdraws the open request or the schedule. The published version stays. */
    withdraw: (comment?: string) =>
      run('withdraw', false, async (e) => {
        const after = await dataOf(api.PATCH(content, { params: { path: path(e), header: header(e) }, body: { published: false, comment } }));
        toast(t.withdrawn);
        focusNext(() => document.querySelector<HTMLElement>('[data-main-action]'));
        return after;
      }),
    cancelSchedule: () => run('cancel', false, (e) => dataOf(api.DELETE(`${content}/schedule`, { params: { path: path(e), header: header(e) } }))),
    /** Unpublishes the entry. why has the reason, or that of an emergency. */
    unpublish: (why: Why) =>
      run('unpublish', true, async (e) => {
        const after = await dataOf(api.POST(`${content}/unpublish`, { params: { path: path(e), header: header(e) }, body: why }));
        toast(t.unpublished);
        return after;
      }),
    trash: (why: Why) =>
      run('trash', false, async (e) => {
        await api.DELETE(content, { params: { path: path(e), header: header(e), query: why } });
        store.drop();
        const restore = async () => {
          await api.POST(`${content}/restore`, { params: { path: path(e) } });
          standingChanged();
          void navigate({ to: '/projects/$projectId/collections/$collectionId/entries/$entryId', params: { ...place, entryId: e.id } });
        };
        toast(t.trashed, { label: t.undo, run: () => void restore().catch((caught) => toast(createElement(ProblemLine, { error: caught }))) });
        await navigate({ to: '/projects/$projectId/collections/$collectionId', params: place });
        queryClient.removeQueries({ queryKey: entryQuery(place, e.id).queryKey });
        return undefined;
      }),
  };
}

/** Saves everything, and creates the entry if it is new. */
async function saved(store: EntryStore) {
  await store.create();
  return store.flush();
}
