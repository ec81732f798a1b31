import { useQueries, useQuery } from '@tanstack/react-query';
import { useRouter } from '@tanstack/react-router';
import { Search } from 'lucide-react';
import { Fragment, useDeferredValue, useEffect, useId, useRef, useState, type KeyboardEvent } from 'react';
import { Dialog, Modal, ModalOverlay } from 'react-aria-components';
import { collectionsQuery, useProjects, useSession } from '../api/queries';
import { may } from '../api/rights';
import { StatusChip } from '../content/statuschip';
import { useTexts } from '../i18n/language';
import ui from '../ui/ui.module.css';
import { useLastProject } from './lastproject';
import { entriesQuery, matches, pagesOf, type Found } from './searchfind';
import { setSearchOpen, takeTyped } from './searchopen';
import styles from './searchdialog.module.css';

/** Limits the number of requests per search. */
const maxCollections = 12;

/** Finds pages, projects, collections and entries of the current project, by keyboard. */
export default function SearchDialog() {
  const t = useTexts('common').searchdialog;
  const router = useRouter();
  const id = useId();
  const [text, setText] = useState('');
  const [active, setActive] = useState(0);
  const groups = useFound(useDeferredValue(text.trim()));
  const all = groups.flatMap((g) => g.found);
  const chosen = Math.min(active, all.length - 1);
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
      ArrowDown: () => setActive((chosen + 1) % all.length),
      ArrowUp: () => setActive((chosen - 1 + all.length) % all.length),
      Enter: () => open(all[chosen]),
    };
    const run = keys[event.key];
    if (!run || all.length === 0 || event.nativeEvent.isComposing) return;
    event.preventDefault();
    run();
  };

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
              role="combobox"
              aria-label={t.search}
              aria-expanded={all.length > 0}
              aria-controls={`${id}-list`}
              aria-autocomplete="list"
              aria-activedescendant={chosen >= 0 ? `${id}-${chosen}` : undefined}
              onChange={(event) => {
                setText(event.target.value);
                setActive(0);
              }}
              onKeyDown={onKeyDown}
            />
          </div>
          <div className={styles.list} id={`${id}-list`} role="listbox" aria-label={t.results} ref={list}>
            {groups.map((group) => (
              <div key={group.title} role="group" aria-labelledby={`${id}-${group.title}`}>
                <div className={ui.section} id={`${id}-${group.title}`} role="presentation">
                  {group.title}
                </div>
                {group.found.map((found) => {
                  const at = ++index;
                  return (
                    <div key={found.key} id={`${id}-${at}`} role="option" aria-selected={at === chosen} className={ui.item} data-focused={at === chosen || undefined} onPointerMove={() => setActive(at)} onClick={() => open(found)}>
                      <span>
                        <Marked text={found.label} words={text.trim()} />
                        {found.detail && <small>{found.detail}</small>}
                      </span>
                      {found.entry && <StatusChip entry={found.entry} />}
                    </div>
                  );
                })}
              </div>
            ))}
          </div>
          <p className={styles.none} role="status">
            {all.length === 0 ? t.none : ''}
          </p>
        </Dialog>
      </Modal>
    </ModalOverlay>
  );
}

function useFound(text: string): { title: string; found: Found[] }[] {
  const t = useTexts('common').searchdialog;
  const projects = useProjects();
  const project = useLastProject();
  const { superAdmin, roles } = useSession();
  const collections = useQuery({ ...collectionsQuery(project?.id ?? 0), enabled: project !== undefined }).data?.data ?? [];
  const readable = project && may(project, 'content.read') && text.length > 1 ? collections.slice(0, maxCollections) : [];
  const entries = useQueries({ queries: readable.map((collection) => entriesQuery(project!.id, collection, text)) });

  const pages = pagesOf(t.pages, project, superAdmin || roles.some((r) => r.projectId === null));
  const groups = [
    { title: t.entriesOf(project?.name ?? ''), found: entries.flatMap((e) => e.data ?? []) },
    {
      title: t.collections,
      found: collections.map((c): Found => ({ key: `c${c.id}`, label: c.name, detail: project!.name, link: { to: '/projects/$projectId/collections/$collectionId', params: { projectId: c.projectId, collectionId: c.id } } })),
    },
    { title: t.pagesTitle, found: pages },
    { title: t.projects, found: projects.map((p): Found => ({ key: `p${p.id}`, label: p.name, link: { to: '/projects/$projectId', params: { projectId: p.id } } })) },
  ];
  return groups.map((g, i) => ({ ...g, found: i === 0 ? g.found : g.found.filter((f) => matches(f.label, text)).slice(0, text ? 8 : 5) })).filter((g) => g.found.length > 0);
}

/** A text with the search words in bold. */
function Marked({ text, words }: { text: string; words: string }) {
  const at = words ? text.toLocaleLowerCase().indexOf(words.toLocaleLowerCase()) : -1;
  if (at < 0) return <Fragment>{text}</Fragment>;
  return (
    <>
      {text.slice(0, at)}
      <b>{text.slice(at, at + words.length)}</b>
      {text.slice(at + words.length)}
    </>
  );
}
