import { Check, Image as ImageIcon, Minus } from 'lucide-react';
import { $api } from '../api/client';
import { useFormat } from '../i18n/format';
import { useTexts } from '../i18n/language';
import { Time } from '../ui/basics';
import styles from './table.module.css';
import type { Field } from './fields';
import { plainText } from './plaintext';
import { idsOf } from './rows';

type Context = { projectId: number; titles: ReadonlyMap<number, string> };

/** The value of a field, as one line of a list. */
export function FieldValue({ field, value, context }: { field: Field; value: unknown; context: Context }) {
  if (value === null || value === undefined || value === '' || (Array.isArray(value) && value.length === 0)) return null;
  if (field.type === 'relation') return <>{idsOf(value).map((id) => context.titles.get(id) || `#${id}`).join(', ')}</>;
  if (field.type === 'media') return <Pictures ids={idsOf(value)} projectId={context.projectId} />;
  if (field.type === 'group' || field.type === 'blocks') return <Items count={Array.isArray(value) ? value.length : 1} />;
  if (!field.multiple || !Array.isArray(value)) return <One field={field} value={value} />;
  return (
    <>
      {value.map((item, i) => (
        <span key={i}>
          {i > 0 && ', '}
          <One field={field} value={item} />
        </span>
      ))}
    </>
  );
}

function Items({ count }: { count: number }) {
  return <>{useTexts('content').cell.items(count)}</>;
}

function One({ field, value }: { field: Field; value: unknown }) {
  const t = useTexts('content').cell;
  const format = useFormat();
  switch (field.type) {
    case 'number':
      return typeof value === 'number' ? format.number(value) : String(value);
    case 'boolean':
      return (
        <span className={styles.boolean}>
          {value ? <Check aria-hidden /> : <Minus aria-hidden />}
          {value ? t.yes : t.no}
        </span>
      );
    case 'datetime':
      return <Time value={String(value)} as="dateTime" />;
    case 'date':
      return format.day(String(value));
    case 'richtext':
      return plainText(String(value));
    case 'json':
      return <code>{JSON.stringify(value)}</code>;
    case 'color':
      return (
        <span className={styles.color}>
          <i style={{ background: String(value) }} />
          {String(value)}
        </span>
      );
    default:
      return String(value);
  }
}

const maxPictures = 3;

function Pictures({ ids, projectId }: { ids: number[]; projectId: number }) {
  return (
    <span className={styles.pictures}>
      {ids.slice(0, maxPictures).map((id) => (
        <Picture key={id} id={id} projectId={projectId} />
      ))}
      {ids.length > maxPictures && <span>+{ids.length - maxPictures}</span>}
    </span>
  );
}

function Picture({ id, projectId }: { id: number; projectId: number }) {
  const { data } = $api.useQuery('get', '/api/projects/{projectId}/media/{mediaId}', { params: { path: { projectId, mediaId: id } } }, { staleTime: 300_000 });
  if (!data?.thumbUrl) return <ImageIcon aria-label={data?.fileName ?? `#${id}`} />;
  return <img src={data.thumbUrl} alt={data.caption || data.fileName} width={40} height={28} loading="lazy" />;
}
