import { useMemo, useRef, useState } from 'react';
import { useProject } from '../api/queries';
import { may } from '../api/rights';
import { useTexts } from '../i18n/language';
import { Empty, Problem } from '../ui/basics';
import { Button } from '../ui/button';
import { Dialog } from '../ui/overlays';
import { useMediaList, type MediaFilter } from './data';
import { FilterBar } from './filter';
import { BoxGrid } from './grid';
import { DropArea, FileButton } from './intake';
import { kindOf, type MediaItem, type MediaKind } from './kind';
import styles from './media.module.css';
import { UploadList } from './uploadlist';
import { addFiles } from './uploads';

type PickerProps = {
  projectId: number;
  multiple?: boolean;
  /** The types to choose from; default: all. */
  types?: readonly MediaKind[];
  isOpen: boolean;
  onClose: () => void;
  /** Called with the chosen items in the order of choice. The dialog then closes. */
  onChoose: (items: MediaItem[]) => void;
};

/** A dialog to choose items of the library, or to upload new ones. */
export function MediaPicker({ isOpen, onClose, multiple, ...props }: PickerProps) {
  const t = useTexts('media').picker;
  return (
    <Dialog title={multiple ? t.many : t.one} isOpen={isOpen} onClose={onClose} size="large">
      <Inside {...props} multiple={multiple} onClose={onClose} />
    </Dialog>
  );
}

function Inside({ projectId, multiple = false, types, onClose, onChoose }: Omit<PickerProps, 'isOpen'>) {
  const t = useTexts('media').picker;
  const project = useProject(projectId);
  const scroller = useRef<HTMLDivElement>(null);
  const [filter, setFilter] = useState<MediaFilter>({ type: types?.[0] });
  const [chosen, setChosen] = useState<ReadonlyMap<number, MediaItem>>(new Map());
  const list = useMediaList(projectId, filter);

  const choose = (items: MediaItem[]) => {
    onChoose(items);
    onClose();
  };
  const select = (items: MediaItem[], on: boolean) =>
    setChosen((before) => {
      if (!multiple) return new Map(on ? items.slice(-1).map((item) => [item.id, item]) : []);
      const after = new Map(before);
      items.forEach((item) => (on ? after.set(item.id, item) : after.delete(item.id)));
      return after;
    });
  const upload = useMemo(
    () =>
      project && may(project, 'media.write')
        ? (files: File[]) => addFiles(project, multiple ? files : files.slice(0, 1), (item) => (!types || types.includes(kindOf(item.mimeType))) && select([item], true))
        : undefined,
    [project, multiple, types],
  );
  const narrowed = filter.search !== undefined || filter.folder !== undefined || (filter.type !== undefined && !types);

  return (
    <>
      <DropArea onFiles={upload}>
        <div className={styles.picker}>
          <div className={styles.toolbar}>
            <FilterBar projectId={projectId} filter={filter} onChange={setFilter} types={types} autoFocus />
            {upload && (
              <FileButton multiple={multiple} types={types} onFiles={upload}>
                {t.upload}
              </FileButton>
            )}
          </div>
          <div className={styles.scroller} ref={scroller}>
            {list.error ? (
              <Problem error={list.error} retry={list.retry} />
            ) : list.total === 0 ? (
              <Empty title={narrowed ? t.nothing : t.empty}>{!narrowed && upload && <p>{t.drop}</p>}</Empty>
            ) : (
              // A click selects an item; Enter chooses it and closes the dialog.
              <BoxGrid scroller={scroller} list={list} label={t.one} selected={chosen} onSelect={select} onOpen={(item) => select([item], !chosen.has(item.id))} onTake={(item) => choose(multiple ? [...new Map(chosen).set(item.id, item).values()] : [item])} />
            )}
          </div>
          <UploadList projectId={projectId} inline />
        </div>
      </DropArea>
      <footer>
        <span className={styles.chosen} role="status">
          {multiple && chosen.size > 0 && t.count(chosen.size)}
        </span>
        <Button onPress={onClose}>{t.cancel}</Button>
        <Button kind="primary" isDisabled={chosen.size === 0} onPress={() => choose([...chosen.values()])}>
          {t.choose}
        </Button>
      </footer>
    </>
  );
}
