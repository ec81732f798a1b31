import { Link, useNavigate, useParams, useSearch } from '@tanstack/react-router';
import { useCallback, useEffect, useMemo, useRef, useState } from 'react';
import { useProject } from '../api/queries';
import { may } from '../api/rights';
import { useFormat } from '../i18n/format';
import { useTexts } from '../i18n/language';
import { Page, PageHead } from '../shell/page';
import { Empty, Problem, Skeleton } from '../ui/basics';
import { Kbd } from '../ui/button';
import { Dialog } from '../ui/overlays';
import { useRoomForPanel } from '../ui/width';
import { BulkBar } from './bulk';
import { useMediaList, type MediaFilter } from './data';
import { Details } from './details';
import { FilterBar } from './filter';
import { PageGrid } from './grid';
import { DropArea, FileButton } from './intake';
import type { MediaItem } from './kind';
import styles from './media.module.css';
import { UploadList } from './uploadlist';
import { addFiles } from './uploads';

/** The media library of a Project. */
export function MediaPage() {
  const t = useTexts('media').media;
  const format = useFormat();
  const { projectId } = useParams({ from: '/app/projects/$projectId/media' });
  const { search, type, folder, item: openId } = useSearch({ from: '/app/projects/$projectId/media' });
  const navigate = useNavigate({ from: '/projects/$projectId/media' });
  const project = useProject(projectId);
  const filter = useMemo((): MediaFilter => ({ search, type, folder }), [search, type, folder]);
  const list = useMediaList(projectId, filter);
  const [selected, setSelected] = useState<ReadonlyMap<number, MediaItem>>(new Map());

  const setFilter = useCallback((next: MediaFilter) => void navigate({ search: (now) => ({ ...now, ...next }), replace: true }), [navigate]);
  const main = useRef<HTMLDivElement>(null);
  const [known, setKnown] = useState<MediaItem>();
  const room = useRoomForPanel();

  const open = (item: MediaItem | undefined) => {
    setKnown(item);
    void navigate({ search: (now) => ({ ...now, item: item?.id }), resetScroll: false });
  };
  const close = () => open(undefined);
  // When the panel closes, the focus returns to the grid.
  const wasOpen = useRef(false);
  useEffect(() => {
    if (wasOpen.current && openId === undefined) main.current?.querySelector<HTMLElement>('[role=gridcell][tabindex="0"]')?.focus({ preventScroll: true });
    wasOpen.current = openId !== undefined;
  }, [openId]);
  const upload = useMemo(() => (project && may(project, 'media.write') ? (files: File[]) => addFiles(project, files, undefined, folder) : undefined), [project, folder]);
  const select = (items: MediaItem[], on: boolean) =>
    setSelected((before) => {
      const after = new Map(before);
      items.forEach((item) => (on ? after.set(item.id, item) : after.delete(item.id)));
      return after;
    });
  const panel = openId !== undefined && <Details projectId={projectId} id={openId} known={known?.id === openId ? known : undefined} onClose={close} onOpen={open} />;
  const narrowed = list.filter.search !== undefined || list.filter.type !== undefined || list.filter.folder !== undefined;

  return (
    <Page
      title={t.title}
      width="full"
      above={project && [<Link key="project" activeOptions={{ exact: true }} to="/projects/$projectId" params={{ projectId }}>{project.name}</Link>]}
      panel={room && panel}
      panelLabel={t.details}
    >
      <DropArea onFiles={upload}>
        <PageHead title={t.title} lead={<span role="status">{list.total === undefined ? '\u00a0' : t.count(format.number(list.total), list.total, narrowed)}</span>}>
          {upload && (
            <FileButton kind="primary" onFiles={upload}>
              {t.upload}
            </FileButton>
          )}
        </PageHead>
        <div className={styles.bar}>
          <FilterBar projectId={projectId} filter={filter} onChange={setFilter} />
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
          <div ref={main}>
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
            <BulkBar projectId={projectId} selected={selected} mayDelete={may(project, 'media.delete')} onSelected={setSelected} />
          </div>
        )}
      </DropArea>
      <UploadList projectId={projectId} />
      {!room && panel && (
        <Dialog title={t.details} isOpen onClose={close}>
          {panel}
        </Dialog>
      )}
    </Page>
  );
}
