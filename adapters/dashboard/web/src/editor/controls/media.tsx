import { useQueries } from '@tanstack/react-query';
import { FileText, ImagePlus } from 'lucide-react';
import { lazy, Suspense, useState } from 'react';
import { $api, type Schemas } from '../../api/client';
import { useFormat } from '../../i18n/format';
import { texts, useTexts } from '../../i18n/language';
import { Button } from '../../ui/button';
import { useEditing } from '../context';
import styles from '../editor.module.css';
import { Rows } from './rows';
import type { ControlProps } from './simple';

export const MediaPicker = lazy(() => import('./mediapicker'));

export const idsOf = (value: unknown): number[] => (Array.isArray(value) ? value : [value]).filter((id) => typeof id === 'number');

export const mediaQuery = (projectId: number, mediaId: number) =>
  $api.queryOptions('get', '/api/projects/{projectId}/media/{mediaId}', { params: { path: { projectId, mediaId } } }, { staleTime: 60_000 });

/** Pictures and files of the library, and a picker that searches it and uploads. */
export function MediaControl({ field, attributes, value, onChange }: ControlProps) {
  const t = useTexts(words);
  const { project } = useEditing();
  const [picking, pick] = useState(false);
  const ids = idsOf(value);
  const items = useQueries({ queries: ids.map((id) => mediaQuery(project.id, id)) });
  const { id, 'aria-describedby': describedBy } = attributes;
  return (
    <div className={styles.stack}>
      {ids.length > 0 && (
        <Rows label={field.label} keys={ids} sortable={field.multiple} onChange={(next) => onChange(field.multiple ? next : (next[0] ?? null))}>
          {(_, i) => <MediaItem item={items[i]?.data} />}
        </Rows>
      )}
      <div>
        <Button id={id} aria-describedby={describedBy} icon={<ImagePlus aria-hidden />} onPress={() => pick(true)}>
          {ids.length === 0 ? t.choose : field.multiple ? t.add : t.replace}
        </Button>
      </div>
      {picking && (
        <Suspense>
          <MediaPicker
            project={project}
            onClose={() => pick(false)}
            onPick={(item) => {
              pick(false);
              onChange(field.multiple ? [...ids.filter((one) => one !== item.id), item.id] : item.id);
            }}
          />
        </Suspense>
      )}
    </div>
  );
}

/** A medium in a row: its picture, name and size. */
export function MediaItem({ item }: { item?: Schemas['MediaItem'] }) {
  const format = useFormat();
  return (
    <span className={styles.medium}>
      {item?.thumbUrl ? <img src={item.thumbWebpUrl ?? item.thumbUrl} alt="" /> : <span className={styles.file}>{item && <FileText aria-hidden />}</span>}
      <span>
        <span className={styles.rowTitle}>{item ? item.caption || item.fileName : ' '}</span>
        {item && (
          <small>
            {item.fileName} · {format.bytes(item.size)}
          </small>
        )}
      </span>
    </span>
  );
}

const words = texts({
  en: { choose: 'Choose from the media', add: 'Add from the media', replace: 'Choose another' },
  de: { choose: 'Aus den Medien wählen', add: 'Aus den Medien hinzufügen', replace: 'Anderes wählen' },
});
