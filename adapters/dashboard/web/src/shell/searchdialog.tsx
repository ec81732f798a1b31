import { keepPreviousData, useQuery } from '@tanstack/react-query';
import { useRouter } from '@tanstack/react-router';
import { Check, PackagePlus, Search } from 'lucide-react';
import { Fragment, lazy, Suspense, useDeferredValue, useEffect, useId, useRef, useState, type KeyboardEvent } from 'react';
import { Dialog, Modal, ModalOverlay } from 'react-aria-components';
import { collectionsQuery, useProjects, useSession } from '../api/queries';
import { may } from '../api/rights';
import { StatusChip } from '../content/statuschip';
import { find } from '../i18n/fold';
import { useTexts } from '../i18n/language';
import { withTexts } from '../texts/load';
import { Button } from '../ui/button';
import { focusNext } from '../ui/focus';
import ui from '../ui/ui.module.css';
import { useLastProject } from './lastproject';
import { collectionFound, enough, foundOnServer, longestText, merged, pagesOf, projectFound, searchQuery, type Found } from './searchfind';
import { setSearchOpen, takeTyped } from './searchopen';
import styles from './searchdialog.module.css';

const AddToRelease = lazy(() => withTexts(import('../releases/addto'), 'releases').then((m) => ({ default: m.AddToRelease })));

// Safari ends a composition before the Enter that ends it, which then has this code.
const composingKey = 229;

/** Finds pages, projects, collections, entries, approval requests and people, by keyboard. */
export default function SearchDialog() {
  const t = useTexts('common').searchdialog;
  const router = useRouter();
  const id = useId();
  const [text, setText] = useState('');
  // The key of the active result: it stays active when others arrive before it.
  const [active, setActive] = useState<string>();
  const { groups: results, searching, failed } = useFound(useDeferredValue(text.trim()));
  const { picks, picked, releasable, groups, ...picking } = usePicking(results);
  const all = groups.flatMap((g) => g.found);
  const chosen = Math.max(all.findIndex((f) => f.key === active), Math.min(0, all.length - 1));
  const list = useRef<HTMLDivElement>(null);
  const field = useRef<HTMLInputElement>(null);
  useEffect(() => {
    const typed = takeTyped();
    if (typed) setText(typed);
  }, []);
  useEffect(() => {
    list.current?.querySelector('[aria-selected=true]')?.scrollIntoView({ block: 'nearest' });
  }, [chosen, text]);

  const close = () => setSearchOpen(false);
  const open = (found: Found | undefined) => {
    if (!found) return;
    if (picks) return picking.toggle(found);
    close();
    void router.navigate(found.link);
  };
  const onKeyDown = (event: KeyboardEvent) => {
    const keys: Record<string, () => void> = {
      ArrowDown: () => setActive(all[(chosen + 1) % all.length]?.key),
      ArrowUp: () => setActive(all[(chosen - 1 + all.length) % all.length]?.key),
      Enter: () => open(all[chosen]),
    };
    const run = keys[event.key];
    if (!run || all.length === 0 || event.nativeEvent.isComposing || event.keyCode === composingKey) return;
    event.preventDefault();
    run();
  };

  const message = failed ? t.failed : searching ? t.searching : all.length === 0 ? t.none : undefined;
  let index = -1;
  if (picking.adds) {
    return (
      <Suspense fallback={null}>
        <AddToRelease
          projectId={[...picked.values()][0]!.projectId}
          entryIds={[...picked.keys()]}
          onClose={(done) => {
            if (!done) return picking.add(false);
            close();
            focusNext(() => document.getElementById('content'));
          }}
        />
      </Suspense>
    );
  }
  return (
    <ModalOverlay className={`${ui.backdrop} ${styles.backdrop}`} isOpen isDismissable onOpenChange={(isOpen) => !isOpen && close()}>
      <Modal className={styles.dialog!}>
        <Dialog aria-label={t.search}>
          <div className={styles.field}>
            <Search aria-hidden />
            <input
              ref={field}
              autoFocus
              value={text}
              placeholder={t.search}
              maxLength={longestText}
              role="combobox"
              aria-label={t.search}
              aria-expanded={all.length > 0}
              aria-controls={`${id}-list`}
              aria-autocomplete="list"
              aria-activedescendant={chosen >= 0 ? `${id}-${chosen}` : undefined}
              onChange={(event) => {
                setText(event.target.value);
                setActive(undefined);
              }}
              onKeyDown={onKeyDown}
            />
          </div>
          <div className={styles.list} id={`${id}-list`} role="listbox" aria-label={t.results} aria-multiselectable={picks} ref={list}>
            {groups.map((group) => (
              <div key={group.kind} role="group" aria-labelledby={`${id}-${group.kind}`}>
                <div className={ui.section} id={`${id}-${group.kind}`} role="presentation">
                  {t.kinds[group.kind]}
                </div>
                {group.found.map((found) => {
                  const at = ++index;
                  const isPicked = found.entry !== undefined && picked.has(found.entry.id);
                  return (
                    <div
                      key={found.key}
                      id={`${id}-${at}`}
                      role="option"
                      aria-selected={picks ? isPicked : at === chosen}
                      className={ui.item}
                      data-focused={at === chosen || undefined}
                      data-selected={isPicked || undefined}
                      onPointerMove={() => setActive(found.key)}
                      onMouseDown={(event) => picks && event.preventDefault() /* the field keeps the focus */}
                      onClick={() => open(found)}
                    >
                      {picks && (
                        <span className={ui.box}>
                          <Check aria-hidden />
                        </span>
                      )}
                      <span className={styles.found}>
                        <Marked text={found.label} words={text.trim()} />
                        {found.detail && <small>{found.detail}</small>}
                      </span>
                      {found.status && <StatusChip entry={{ status: found.status }} />}
                    </div>
                  );
                })}
              </div>
            ))}
          </div>
          {/* Screen readers announce the text of a status that stays, not of one that appears. */}
          <p className={message ? styles.none : 'visually-hidden'} role="status">
            {message ?? (text.trim() && t.found(all.length))}
          </p>
          {(picks || releasable) && (
            <div className={styles.foot}>
              {picks ? (
                <>
                  <Button kind="primary" icon={<PackagePlus aria-hidden />} isDisabled={picked.size === 0} onPress={() => picking.add(true)}>
                    {picked.size === 0 ? t.pick : t.add(picked.size)}
                  </Button>
                  <Button kind="quiet" onPress={picking.stop}>
                    {t.stop}
                  </Button>
                </>
              ) : (
                <Button
                  kind="quiet"
                  icon={<PackagePlus aria-hidden />}
                  onPress={() => {
                    picking.start();
                    field.current?.focus();
                  }}
                >
                  {t.addToRelease}
                </Button>
              )}
            </div>
          )}
        </Dialog>
      </Modal>
    </ModalOverlay>
  );
}

type Groups = ReturnType<typeof merged>;

/** The choice of entries for a release, all of one Project. While it goes on, the results are those that can be chosen. */
function usePicking(results: Groups) {
  const projects = useProjects();
  const [picks, setPicks] = useState(false);
  const [adds, add] = useState(false);
  const [picked, setPicked] = useState<ReadonlyMap<number, { projectId: number }>>(new Map());
  const [first] = picked.values();
  const writes = ({ entry }: Found) => entry !== undefined && may(projects.find(({ id }) => id === entry.projectId), 'release.write');
  const offered = ({ entry }: Found) => first === undefined || entry?.projectId === first.projectId;
  const entries = results.map(({ kind, found }) => ({ kind, found: found.filter(writes) })).filter(({ found }) => found.length > 0);
  return {
    picks,
    picked,
    adds,
    add,
    releasable: entries.length > 0,
    groups: picks ? entries.map(({ kind, found }) => ({ kind, found: found.filter(offered) })).filter(({ found }) => found.length > 0) : results,
    start: () => setPicks(true),
    stop: () => {
      setPicks(false);
      setPicked(new Map());
    },
    toggle: ({ entry }: Found) => {
      if (!entry) return;
      const next = new Map(picked);
      if (!next.delete(entry.id)) next.set(entry.id, entry);
      setPicked(next);
    },
  };
}

function useFound(text: string) {
  const t = useTexts('common').searchdialog;
  const projects = useProjects();
  const project = useLastProject();
  const { superAdmin, roles } = useSession();
  const collections = useQuery({ ...collectionsQuery(project?.id ?? 0), enabled: project !== undefined }).data?.data ?? [];
  const { data, isFetching, isPlaceholderData, isError } = useQuery({ ...searchQuery(text), placeholderData: keepPreviousData });
  const known = {
    collections: project ? collections.map(({ id, name }) => collectionFound({ id, name, projectId: project.id, projectName: project.name })) : [],
    projects: projects.map(projectFound),
    pages: pagesOf(t.pages, project, superAdmin || roles.some((r) => r.projectId === null)),
  };
  const asked = enough(text);
  return { groups: merged(text, known, data && asked ? foundOnServer(data) : {}, isPlaceholderData), searching: asked && isFetching, failed: asked && isError };
}

/** A text with the search words in bold. */
function Marked({ text, words }: { text: string; words: string }) {
  const found = find(text, words);
  if (!found) return <Fragment>{text}</Fragment>;
  return (
    <>
      {text.slice(0, found.from)}
      <b>{text.slice(found.from, found.to)}</b>
      {text.slice(found.to)}
    </>
  );
}
