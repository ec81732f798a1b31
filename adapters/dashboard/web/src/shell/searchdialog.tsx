import { keepPreviousData, useQuery } from '@tanstack/react-query';
import { useRouter } from '@tanstack/react-router';
import { Search } from 'lucide-react';
import { Fragment, useDeferredValue, useEffect, useId, useRef, useState, type KeyboardEvent } from 'react';
import { Dialog, Modal, ModalOverlay } from 'react-aria-components';
import { collectionsQuery, useProjects, useSession } from '../api/queries';
import { StatusChip } from '../content/statuschip';
import { find } from '../i18n/fold';
import { useTexts } from '../i18n/language';
import ui from '../ui/ui.module.css';
import { useLastProject } from './lastproject';
import { collectionFound, enough, foundOnServer, longestText, merged, pagesOf, projectFound, searchQuery, type Found } from './searchfind';
import { setSearchOpen, takeTyped } from './searchopen';
import styles from './searchdialog.module.css';

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
  const { groups, searching, failed } = useFound(useDeferredValue(text.trim()));
  const all = groups.flatMap((g) => g.found);
  const chosen = Math.max(all.findIndex((f) => f.key === active), Math.min(0, all.length - 1));
  const list = useRef<HTMLDivElement>(null);
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
  return (
    <ModalOverlay className={`${ui.backdrop} ${styles.backdrop}`} isOpen isDismissable onOpenChange={(isOpen) => !isOpen && close()}>
      <Modal className={styles.dialog!}>
        <Dialog aria-label={t.search}>
          <div className={styles.field}>
            <Search aria-hidden />
            <input
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
          <div className={styles.list} id={`${id}-list`} role="listbox" aria-label={t.results} ref={list}>
            {groups.map((group) => (
              <div key={group.kind} role="group" aria-labelledby={`${id}-${group.kind}`}>
                <div className={ui.section} id={`${id}-${group.kind}`} role="presentation">
                  {t.kinds[group.kind]}
                </div>
                {group.found.map((found) => {
                  const at = ++index;
                  return (
                    <div key={found.key} id={`${id}-${at}`} role="option" aria-selected={at === chosen} className={ui.item} data-focused={at === chosen || undefined} onPointerMove={() => setActive(found.key)} onClick={() => open(found)}>
                      <span>
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
        </Dialog>
      </Modal>
    </ModalOverlay>
  );
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
