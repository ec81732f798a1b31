import { useQueries, useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { lazy, Suspense, useLayoutEffect, useRef } from 'react';
import { useFormat } from '../i18n/format';
import { useTexts } from '../i18n/language';
import { Time } from '../ui/basics';
import { useEditing, type Field } from './context';
import { mediaItemQuery } from '../media/data';
import { idsOf, MediaItem } from './controls/media';
import { useTarget } from './controls/relation';
import styles from './readvalue.module.css';
import { collectionOf, nameOf, relatedQuery } from './related';
import { isStructured } from './items/structured';
import { fragmentOf } from './richtext/html';
import { empty } from './values';

const ReadItems = lazy(() => import('./items/readitems').then((m) => ({ default: m.ReadItems })));

/** A read-only value: in a translation beside the fields, in a conflict, and for viewers. */
export function ReadValue({ field, value }: { field: Field; value: unknown }) {
  const t = useTexts('editor').readvalue;
  if (field.type === 'password' || (field.hidden && value === undefined)) return <span className={styles.none}>{t.secret}</span>;
  if (empty(value)) return <span className={styles.none}>{t.none}</span>;
  if (isStructured(field)) {
    return (
      <Suspense fallback={null}>
        <ReadItems field={field} value={value} read={ReadValue} />
      </Suspense>
    );
  }
  if (field.type === 'relation') return <Related field={field} ids={idsOf(value)} />;
  if (field.type === 'media') return <Media ids={idsOf(value)} />;
  if (field.type === 'json') return <pre className={styles.json}>{JSON.stringify(value, null, 2)}</pre>;
  if (!field.multiple) return <One field={field} value={value} />;
  return (
    <ul className={styles.values}>
      {(Array.isArray(value) ? value : [value]).map((one, i) => (
        <li key={i}>
          <One field={field} value={one} />
        </li>
      ))}
    </ul>
  );
}

function One({ field, value }: { field: Field; value: unknown }) {
  const t = useTexts('editor').readvalue;
  const format = useFormat();
  switch (field.type) {
    case 'richtext':
      return <Prose html={String(value)} />;
    case 'boolean':
      return value === true ? t.yes : t.no;
    case 'number':
      return typeof value === 'number' ? format.number(value) : String(value);
    case 'datetime':
      return <Time value={String(value)} as="dateTime" />;
    case 'date':
      return <time dateTime={String(value)}>{format.day(String(value))}</time>;
    default:
      return <span className={styles.text}>{String(value)}</span>;
  }
}

/** Read-only rich text. */
export function Prose({ html }: { html: string }) {
  const { elsewhere } = useTexts('common').prose;
  const box = useRef<HTMLDivElement>(null);
  useLayoutEffect(() => void box.current?.replaceChildren(fragmentOf(html, elsewhere)), [html, elsewhere]);
  return <div className={styles.prose} ref={box} />;
}

function Related({ field, ids }: { field: Field; ids: number[] }) {
  const target = useTarget(field);
  const { data = [] } = useQuery({ ...relatedQuery(target!, ids), enabled: target !== undefined });
  if (!target) return ids.map((id) => `#${id}`).join(', ');
  return (
    <ul className={styles.values}>
      {ids.map((id) => {
        const entry = data.find((e) => e.id === id);
        const collection = field.collections ? collectionOf(target, entry) : target.collections[0];
        if (!collection) return <li key={id}>#{id}</li>;
        return (
          <li key={id}>
            <Link to="/projects/$projectId/collections/$collectionId/entries/$entryId" params={{ projectId: target.projectId, collectionId: collection.id, entryId: id }} className={styles.link}>
              {entry ? nameOf(collection, entry) : `#${id}`}
            </Link>
            {field.collections && <> ({collection.name})</>}
          </li>
        );
      })}
    </ul>
  );
}

function Media({ ids }: { ids: number[] }) {
  const { project } = useEditing();
  const items = useQueries({ queries: ids.map((id) => mediaItemQuery(project.id, id)) });
  return (
    <ul className={styles.media}>
      {ids.map((id, i) => (
        <li key={id}>
          <MediaItem item={items[i]?.data} />
        </li>
      ))}
    </ul>
  );
}
