import { X } from 'lucide-react';
import { lazy, Suspense, useEffect, useState } from 'react';
import type { Schemas } from '../api/client';
import { may } from '../api/rights';
import { useFormat } from '../i18n/format';
import { useTexts } from '../i18n/language';
import { Problem } from '../ui/basics';
import { Button, IconButton } from '../ui/button';
import { focusNext } from '../ui/focus';
import { withTexts } from '../texts/load';
import { BulkDialog, type BulkAction } from './bulkdialog';
import { titleField, type Collection, type ManagedEntry } from './fields';
import { fetchEntries } from './rows';
import type { EntriesSearch } from './search';
import type { Selection } from '../ui/selection';
import styles from '../ui/bulk.module.css';

const AddToRelease = lazy(() => withTexts(import('../releases/addto'), 'releases').then((m) => ({ default: m.AddToRelease })));

/** The maximum number of entries of a release. */
const mostTogether = 1_000;
/** The maximum number of entries that "select all" selects. */
export const most = 10_000;
const step = 500; // the maximum of one response

type BarProps = {
  project: Schemas['Project'];
  collection: Collection;
  search: EntriesSearch;
  total: number | undefined;
  selection: Selection<ManagedEntry>;
  governed: boolean;
  /** Whether all matching entries are being selected. */
  selectingAll: boolean;
  setSelectingAll: (value: boolean) => void;
};

/** The actions for the selected entries. */
export function SelectionBar({ project, collection, search, total, selection, governed, selectingAll, setSelectingAll }: BarProps) {
  const t = useTexts('content').selectionbar;
  const format = useFormat();
  const [action, setAction] = useState<{ name: BulkAction; entries: ManagedEntry[] }>();
  const [released, setReleased] = useState<{ together: boolean; entryIds: number[] }>();
  const [error, setError] = useState<unknown>();
  const { set, clear } = selection;

  useEffect(() => {
    if (!selectingAll) return;
    const stop = new AbortController();
    setError(undefined);
    fetchAll(project, collection, search, stop.signal)
      .then(
        (entries) => set(entries, true),
        (caught) => stop.signal.aborted || setError(caught),
      )
      .finally(() => stop.signal.aborted || setSelectingAll(false));
    return () => stop.abort();
    // A later change of the search must not restart it: it selects the list shown at its start.
    // eslint-disable-next-line react-hooks/exhaustive-deps
  }, [selectingAll]);

  const count = selection.items.size;
  const entries = [...selection.items.values()];
  const offered: BulkAction[] = search.state === 'trash' ? ['restore', ...(may(project, 'content.destroy') ? (['destroy'] as const) : [])] : [governed ? 'submit' : 'publish', 'unpublish', 'trash'];
  const shown = count > 0 || selectingAll || error !== undefined;
  return (
    <>
      <div role="status" className="visually-hidden">
        {count > 0 ? t.selected(count, format.number(count)) : ''}
      </div>
      {shown && (
        <section className={styles.bulk} aria-label={t.label}>
          {error !== undefined && <Problem error={error} />}
          <span>{selectingAll ? t.selecting : count >= most && total !== undefined && total > count ? t.first(format.number(count), format.number(total)) : t.selected(count, format.number(count))}</span>
          {!selectingAll && search.state !== 'trash' && total !== undefined && count < Math.min(total, most) && (
            <Button kind="quiet" onPress={() => setSelectingAll(true)}>
              {total > most ? t.selectFirst(format.number(most)) : t.selectAll(format.number(total))}
            </Button>
          )}
          <span className={styles.actions}>
            {offered.map((name) => (
              <Button key={name} kind={name === 'trash' || name === 'destroy' ? 'danger' : 'secondary'} isDisabled={count === 0} onPress={() => setAction({ name, entries })}>
                {t.actions[name]}
              </Button>
            ))}
            {search.state !== 'trash' && may(project, 'release.write') && (
              <>
                {governed && count > 1 && (
                  <Button isDisabled={count > mostTogether} onPress={() => setReleased({ together: true, entryIds: entries.map(({ id }) => id) })}>
                    {t.together}
                  </Button>
                )}
                <Button isDisabled={count === 0 || count > mostTogether} onPress={() => setReleased({ together: false, entryIds: entries.map(({ id }) => id) })}>
                  {t.addToRelease}
                </Button>
              </>
            )}
            <IconButton
              label={t.clear}
              icon={<X aria-hidden />}
              onPress={() => {
                setError(undefined);
                clear();
              }}
            />
          </span>
        </section>
      )}
      {released && (
        <Suspense fallback={null}>
          <AddToRelease
            projectId={project.id}
            {...released}
            onClose={(done) => {
              setReleased(undefined);
              if (done) clear();
              focusNext(() => document.querySelector<HTMLElement>('[role=grid]') ?? document.getElementById('content'));
            }}
          />
        </Suspense>
      )}
      {action && (
        <BulkDialog
          action={action.name}
          entries={action.entries}
          project={project}
          collection={collection}
          onClose={(began) => {
            setAction(undefined);
            if (began) clear();
            focusNext(() => document.querySelector<HTMLElement>('[role=grid]') ?? document.getElementById('content'));
          }}
        />
      )}
    </>
  );
}

async function fetchAll(project: Schemas['Project'], collection: Collection, search: EntriesSearch, signal: AbortSignal) {
  const entries: ManagedEntry[] = [];
  for (let offset = 0; offset < most; offset += step) {
    const page = await fetchEntries(project, collection, search, { offset, limit: step }, signal);
    // The actions need the titles only; whole texts of thousands of entries take much memory.
    const title = titleField(collection)?.name;
    entries.push(...page.data.map((entry) => ({ ...entry, fields: title ? { [title]: entry.fields[title] } : {} })));
    if (!page.meta.hasMore) break;
  }
  return entries;
}
