import { useQueries } from '@tanstack/react-query';
import { ImagePlus } from 'lucide-react';
import { lazy, Suspense, useEffect, useRef, useState } from 'react';
import type { Schemas } from '../../api/client';
import { may } from '../../api/rights';
import { useFormat } from '../../i18n/format';
import { useTexts } from '../../i18n/language';
import { mediaItemQuery } from '../../media/data';
import { kindOf, typeName } from '../../media/kind';
import { Thumbnail } from '../../media/thumbnail';
import { addFiles, useUploads } from '../../media/uploads';
import { withTexts } from '../../texts/load';
import { Button } from '../../ui/button';
import { useFileDrop } from '../../ui/filedrop';
import { useEditing } from '../context';
import styles from '../editor.module.css';
import { AltText } from './alttext';
import { Rows } from './rows';
import type { ControlProps } from './simple';

const UploadList = lazy(() => withTexts(import('../../media/uploadlist'), 'media').then((m) => ({ default: m.UploadList })));
const MediaPicker = lazy(() => withTexts(import('../../media/picker'), 'media').then((m) => ({ default: m.MediaPicker })));

export const idsOf = (value: unknown): number[] => (Array.isArray(value) ? value : [value]).filter((id) => typeof id === 'number');

/** A control for media items, with a picker that searches the library and uploads files. It takes dropped files. */
export function MediaControl({ field, attributes, value, onChange }: ControlProps) {
  const t = useTexts('editor').media;
  const { project } = useEditing();
  const [picking, pick] = useState(false);
  const ids = idsOf(value);
  const items = useQueries({ queries: ids.map((id) => mediaItemQuery(project.id, id)) });
  const { id, 'aria-describedby': describedBy } = attributes;
  const mayWrite = may(project, 'media.write');
  const [uploads, setUploads] = useState<number[]>([]);
  /** Files that were dropped as pictures and are none. */
  const [mistaken, setMistaken] = useState<number[]>([]);
  const waits = useUploads(project.id).some((upload) => uploads.includes(upload.id) && (upload.state !== 'done' || upload.warnings));
  const latest = useRef(ids);
  useEffect(() => void (latest.current = ids));
  const take = (files: File[]) => {
    const arrived = (file: File, item: Schemas['MediaItem']) => {
      latest.current = field.multiple ? [...latest.current.filter((one) => one !== item.id), item.id] : [item.id];
      onChange(field.multiple ? latest.current : item.id);
      if (kindOf(file.type) === 'image' && kindOf(item.mimeType) !== 'image') setMistaken((before) => [...before, item.id]);
    };
    const added = (field.multiple ? files : files.slice(0, 1)).flatMap((file) => addFiles(project, [file], (item) => arrived(file, item)));
    setUploads((before) => [...before, ...added]);
  };
  const { over, handlers } = useFileDrop(mayWrite ? take : undefined);
  return (
    <div className={styles.stack} data-over={over || undefined} {...handlers}>
      {ids.length > 0 && (
        <Rows label={field.label} keys={ids} sortable={field.multiple} onChange={(next) => onChange(field.multiple ? next : (next[0] ?? null))}>
          {(_, i) => {
            const item = items[i]?.data;
            return (
              <div className={styles.pictured}>
                <MediaItem item={item} isMistaken={item !== undefined && mistaken.includes(item.id)} />
                {mayWrite && item && kindOf(item.mimeType) === 'image' && <AltText key={item.id} item={item} />}
              </div>
            );
          }}
        </Rows>
      )}
      <div>
        <Button id={id} aria-labelledby={`${id}-label ${id}`} aria-describedby={describedBy} icon={<ImagePlus aria-hidden />} onPress={() => pick(true)}>
          {ids.length === 0 ? t.choose : field.multiple ? t.add : t.replace}
        </Button>
        {over && <small aria-hidden> {t.drop}</small>}
      </div>
      {waits && (
        <Suspense>
          <UploadList projectId={project.id} inline />
        </Suspense>
      )}
      {picking && (
        <Suspense>
          <MediaPicker
            projectId={project.id}
            multiple={field.multiple}
            isOpen
            onClose={() => pick(false)}
            onChoose={(items) => {
              const chosen = items.map((item) => item.id);
              onChange(field.multiple ? [...ids.filter((one) => !chosen.includes(one)), ...chosen] : chosen[0]);
            }}
          />
        </Suspense>
      )}
    </div>
  );
}

/** A media item in a row: thumbnail, name and size. isMistaken: it was taken for a picture. */
export function MediaItem({ item, isMistaken = false }: { item?: Schemas['MediaItem']; isMistaken?: boolean }) {
  const t = useTexts('editor').media;
  const format = useFormat();
  return (
    <span className={styles.medium}>
      <Thumbnail item={item} />
      <span>
        <span className={styles.rowTitle}>{item ? item.caption || item.fileName : ' '}</span>
        {item && (
          <small>
            {item.fileName} · {format.bytes(item.size)}
          </small>
        )}
        {item && kindOf(item.mimeType) !== 'image' && (
          <small className={isMistaken ? styles.noAlt : undefined} role="status">
            {isMistaken ? t.mistaken(typeName(item)) : t.noPicture(typeName(item))}
          </small>
        )}
        {item?.mimeType.startsWith('image/') && !item.alt && <small className={styles.noAlt}>{t.noAlt}</small>}
      </span>
    </span>
  );
}
