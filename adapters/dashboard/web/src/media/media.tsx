import { Link, useNavigate, useParams, useSearch } from '@tanstack/react-router';
import { useCallback, useMemo, useState } from 'react';
import { useProject } from '../api/queries';
import { may } from '../api/rights';
import { useFormat } from '../i18n/format';
import { plural, texts, useTexts } from '../i18n/language';
import { Page, PageHead } from '../shell/page';
import { Empty, Problem, Skeleton } from '../ui/basics';
import { Kbd } from '../ui/button';
import { useMediaList, type MediaFilter } from './data';
import { FilterBar } from './filter';
import { PageGrid } from './grid';
import { DropArea, FileButton } from './intake';
import type { MediaItem } from './kind';
import styles from './media.module.css';
import { UploadList } from './uploadlist';
import { addFiles } from './uploads';

/** The files of a Project. */
export function MediaPage() {
  const t = useTexts(words);
  const format = useFormat();
  const { projectId } = useParams({ from: '/app/projects/$projectId/media' });
  const { search, type, item: openId } = useSearch({ from: '/app/projects/$projectId/media' });
  const navigate = useNavigate({ from: '/projects/$projectId/media' });
  const project = useProject(projectId);
  const filter = useMemo((): MediaFilter => ({ search, type }), [search, type]);
  const list = useMediaList(projectId, filter);
  const [selected, setSelected] = useState<ReadonlyMap<number, MediaItem>>(new Map());

  const setFilter = useCallback((next: MediaFilter) => void navigate({ search: (now) => ({ ...now, ...next }), replace: true }), [navigate]);
  const open = (item: MediaItem) => void navigate({ search: (now) => ({ ...now, item: item.id }), resetScroll: false });
  const upload = useMemo(() => (project && may(project, 'media.write') ? (files: File[]) => addFiles(project, files) : undefined), [project]);
  const select = (items: MediaItem[], on: boolean) =>
    setSelected((before) => {
      const after = new Map(before);
      items.forEach((item) => (on ? after.set(item.id, item) : after.delete(item.id)));
      return after;
    });
  const narrowed = search !== undefined || type !== undefined;

  return (
    <Page
      title={t.title}
      width="full"
      above={project && [<Link to="/projects/$projectId" params={{ projectId }}>{project.name}</Link>]}
    >
      <DropArea onFiles={upload}>
        <PageHead title={t.title} lead={list.total === undefined ? '\u00a0' : t.count(format.number(list.total), list.total, narrowed)}>
          {upload && (
            <FileButton kind="primary" onFiles={upload}>
              {t.upload}
            </FileButton>
          )}
        </PageHead>
        <div className={styles.bar}>
          <FilterBar filter={filter} onChange={setFilter} />
        </div>
        {list.error ? (
          <Problem error={list.error} retry={list.retry} />
        ) : list.total === undefined ? (
          <Skeleton />
        ) : list.total === 0 ? (
          <Empty title={narrowed ? t.nothing : t.empty}>
            {narrowed ? <p>{t.widen}</p> : upload && <p>{t.drop}</p>}
          </Empty>
        ) : (
          <>
            <PageGrid list={list} label={t.title} selected={selected} onSelect={upload && select} onOpen={open} openId={openId} />
            <p className={styles.keys}>
              <span>
                <Kbd>←</Kbd> <Kbd>↑</Kbd> <Kbd>↓</Kbd> <Kbd>→</Kbd> {t.move}
              </span>
              <span>
                <Kbd>↵</Kbd> {t.open}
              </span>
              {upload && (
                <span>
                  <Kbd>{t.space}</Kbd> {t.select}
                </span>
              )}
            </p>
          </>
        )}
      </DropArea>
      <UploadList projectId={projectId} />
    </Page>
  );
}

const words = texts({
  en: {
    title: 'Media',
    upload: 'Upload',
    count: (n: string, count: number, narrowed: boolean) => (narrowed ? `${n} ${plural(count, 'file matches', 'files match')}` : `${n} ${plural(count, 'file', 'files')}, the newest first`),
    nothing: 'Nothing matches',
    widen: 'Try another word, or all types.',
    empty: 'No files yet',
    drop: 'Drop files anywhere on this page, paste them, or press Upload.',
    move: 'move',
    open: 'open',
    space: 'Space',
    select: 'select',
  },
  de: {
    title: 'Medien',
    upload: 'Hochladen',
    count: (n: string, count: number, narrowed: boolean) => (narrowed ? `${n} ${plural(count, 'Datei passt', 'Dateien passen')}` : `${n} ${plural(count, 'Datei', 'Dateien')}, die neuesten zuerst`),
    nothing: 'Kein Treffer',
    widen: 'Versuchen Sie ein anderes Wort oder alle Typen.',
    empty: 'Noch keine Dateien',
    drop: 'Legen Sie Dateien irgendwo auf dieser Seite ab, fügen Sie sie ein oder drücken Sie „Hochladen“.',
    move: 'bewegen',
    open: 'öffnen',
    space: 'Leertaste',
    select: 'auswählen',
  },
});
