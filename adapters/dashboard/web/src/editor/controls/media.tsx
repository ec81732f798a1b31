import { useQueries } from '@tanstack/react-query';
import { ImagePlus } from 'lucide-react';
import { lazy, Suspense, useState } from 'react';
import type { Schemas } from '../../api/client';
import { useFormat } from '../../i18n/format';
import { useTexts } from '../../i18n/language';
import { mediaItemQuery } from '../../media/data';
import { Thumbnail } from '../../media/thumbnail';
import { withTexts } from '../../texts/load';
import { Button } from '../../ui/button';
import { useEditing } from '../context';
import styles from '../editor.module.css';
import { Rows } from './rows';
import type { ControlProps } from './simple';

const MediaPicker = lazy(() => withTexts(import('../../media/picker'), 'media').then((m) => ({ default: m.MediaPicker })));

export const idsOf = (value: unknown): number[] => (Array.isArray(value) ? value : [value]).filter((id) => typeof id === 'number');

/** A control for media items, with a picker that searches the library and uploads files. */
export function MediaControl({ field, attributes, value, onChange }: ControlProps) {
  const t = useTexts('editor').media;
  const { project } = useEditing();
  const [picking, pick] = useState(false);
  const ids = idsOf(value);
  const items = useQueries({ queries: ids.map((id) => mediaItemQuery(project.id, id)) });
  const { id, 'aria-describedby': describedBy } = attributes;
  return (
    <div className={styles.stack}>
      {ids.length > 0 && (
        <Rows label={field.label} keys={ids} sortable={field.multiple} onChange={(next) => onChange(field.multiple ? next : (next[0] ?? null))}>
          {(_, i) => <MediaItem item={items[i]?.data} />}
        </Rows>
      )}
      <div>
        <Button id={id} aria-labelledby={`${id}-label ${id}`} aria-describedby={describedBy} icon={<ImagePlus aria-hidden />} onPress={() => pick(true)}>
          {ids.length === 0 ? t.choose : field.multiple ? t.add : t.replace}
        </Button>
      </div>
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

/** A media item in a row: thumbnail, name and size. */
export function MediaItem({ item }: { item?: Schemas['MediaItem'] }) {
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
        {item?.mimeType.startsWith('image/') && !item.alt && <small className={styles.noAlt}>{t.noAlt}</small>}
      </span>
    </span>
  );
}
