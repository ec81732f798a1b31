import { Link } from '@tanstack/react-router';
import { File, ImageOff } from 'lucide-react';
import { lazy, Suspense, useState, type ReactNode } from 'react';
import type { Schemas } from '../api/client';
import { targetSlugs } from '../api/fields';
import { useFormat } from '../i18n/format';
import { useTexts } from '../i18n/language';
import { withTexts } from '../texts/load';
import { Chip, Skeleton } from '../ui/basics';
import styles from './compare.module.css';
import { ids, type Compared, type SealedItem, type Version, type Versions } from './fields';
import { canonical } from './version';
import { linkedMedia } from './links';
import { Lines, RichText, Words } from './prose';
import { sealedUrl, useLibrary, useTitles } from './related';
import { hunks } from './words';

const ItemChanges = lazy(() => withTexts(import('./itemchanges'), 'changes').then((m) => ({ default: m.ItemChanges })));

type FieldChangeProps = {
  change: Compared;
  versions: Versions;
  /** The field is the title of the entry. */
  heading?: boolean;
  /** The field belongs to an item. */
  inner?: boolean;
};

/** The label of a field and the difference between its values, shown according to its type. */
export function FieldChange({ change, versions, heading, inner }: FieldChangeProps) {
  const t = useTexts('common').fieldchange;
  const { field } = change;
  const marked = versions.before !== undefined;
  const plain = field.type === 'text' && !field.multiple;
  if (heading && plain) {
    return (
      <h1 className={styles.title} data-name={field.name}>
        <Words before={marked ? text(change.before) : undefined} after={text(change.after)} locale={versions.locale} />
        {change.after === undefined && !text(change.before) && t.untitled}
      </h1>
    );
  }
  const named = field.type === 'media' ? ids(change.after) : field.type === 'richtext' ? linkedMedia(change.after) : [];
  const sealed = marked && named.some((id) => versions.after.media[id]);
  const Heading = inner ? 'h3' : 'h2';
  return (
    <section className={inner ? styles.innerField : styles.field} aria-label={field.label} data-name={field.name}>
      <Heading>
        <span>{field.label}</span>
        {sealed && <Chip plain>{t.sealed}</Chip>}
      </Heading>
      <Value change={change} versions={versions} />
    </section>
  );
}

const text = (value: unknown) => (value === undefined ? '' : typeof value === 'string' ? value : JSON.stringify(value));

function Value({ change, versions }: { change: Compared; versions: Versions }): ReactNode {
  const { field, before, after } = change;
  const marked = versions.before !== undefined && change.changed;
  const { locale } = versions;
  if (change.items && change.items.length > 0) {
    return (
      <Suspense fallback={<Skeleton />}>
        <ItemChanges change={change} versions={versions} show={FieldChange} />
      </Suspense>
    );
  }
  if (field.type === 'media') return <Media before={marked ? before : undefined} after={after} marked={marked} versions={versions} />;
  if (field.type === 'json') return <Json before={before} after={after} marked={marked} />;
  if (field.multiple) return <List change={change} versions={versions} marked={marked} />;
  if (before === undefined && after === undefined) return <None />;
  if (field.type === 'richtext') return <LinkedText before={text(before)} after={text(after)} marked={marked} versions={versions} />;
  if (field.type === 'text' || field.type === 'longtext') {
    return (
      <div className={styles.prose}>
        <Lines before={marked ? text(before) : undefined} after={text(after)} locale={locale} />
      </div>
    );
  }
  return (
    <div className={styles.prose}>
      {marked && before !== undefined && (
        <del className={styles.del}>
          <One field={field} value={before} versions={versions} />
        </del>
      )}{' '}
      {after !== undefined &&
        (marked ? (
          <ins className={styles.ins}>
            <One field={field} value={after} versions={versions} />
          </ins>
        ) : (
          <One field={field} value={after} versions={versions} />
        ))}
    </div>
  );
}

function None() {
  return <p className={styles.none}>{useTexts('common').fieldchange.empty}</p>;
}

/** One value, formatted as inline text. */
function One({ field, value, versions }: { field: Compared['field']; value: unknown; versions: Versions }): ReactNode {
  const t = useTexts('common').fieldchange;
  const format = useFormat();
  switch (field.type) {
    case 'boolean':
      return value === true ? t.yes : t.no;
    case 'number':
      return typeof value === 'number' ? format.number(value) : text(value);
    case 'date':
      return typeof value === 'string' ? format.day(value) : text(value);
    case 'datetime':
      return typeof value === 'string' ? format.dateTime(value) : text(value);
    case 'color':
      return (
        <span className={styles.color}>
          <i style={{ background: text(value) }} aria-hidden />
          {text(value)}
        </span>
      );
    case 'relation':
      return <Related field={field} id={value as number} versions={versions} />;
    default:
      return text(value);
  }
}

function Related({ field, id, versions: { projectId } }: { field: Compared['field']; id: number; versions: Versions }) {
  const titles = useTitles(projectId, targetSlugs(field), [id]);
  const found = titles.of(id);
  if (!found) return titles.text(id);
  return (
    <Link className={styles.related} to="/projects/$projectId/collections/$collectionId/entries/$entryId" params={{ projectId, collectionId: found.collectionId, entryId: id }}>
      {found.title}
    </Link>
  );
}

function List({ change, versions, marked }: { change: Compared; versions: Versions; marked: boolean }) {
  const t = useTexts('common').fieldchange;
  const { field } = change;
  const values = (v: unknown) => (Array.isArray(v) ? v : v === undefined ? [] : [v]) as unknown[];
  const [before, after] = [values(change.before), values(change.after)];
  const titles = useTitles(versions.projectId, targetSlugs(field), [...ids(before), ...ids(after)]);
  if (before.length + after.length === 0) return <None />;
  const show = (value: unknown) => (field.type === 'relation' ? titles.text(value as number) : <One field={field} value={value} versions={versions} />);
  const all = marked ? hunks(before, after, canonical) : [{ same: true, before: after, after }];
  const items = all.flatMap((h): { value: unknown; mark?: 'ins' | 'del' }[] =>
    h.same
      ? h.after.map((value) => ({ value }))
      : [...h.before.map((value) => ({ value, mark: 'del' as const })), ...h.after.map((value) => ({ value, mark: 'ins' as const }))],
  );
  const long = field.type === 'longtext' || field.type === 'richtext';
  return (
    <ul className={long ? styles.longList : styles.chips}>
      {items.map(({ value, mark }, i) => (
        <li key={i} data-mark={mark}>
          {mark && <span className="visually-hidden">{mark === 'ins' ? t.added : t.removed} </span>}
          {field.type === 'richtext' ? <LinkedText before="" after={text(value)} marked={false} versions={mark === 'del' && versions.before ? { ...versions, after: versions.before } : versions} /> : show(value)}
        </li>
      ))}
    </ul>
  );
}

function Json({ before, after, marked }: { before: unknown; after: unknown; marked: boolean }) {
  const lines = (value: unknown) => (value === undefined ? [] : JSON.stringify(JSON.parse(canonical(value)), null, 2).split('\n'));
  const all = marked ? hunks(lines(before), lines(after), (l) => l) : [{ same: true, before: [], after: lines(after) }];
  if (before === undefined && after === undefined) return <None />;
  return (
    <pre className={styles.json} tabIndex={0}>
      {all.map((h, i) =>
        h.same ? (
          <span key={i}>{h.after.join('\n')}{'\n'}</span>
        ) : (
          <span key={i}>
            {h.before.length > 0 && <del className={styles.del}>{h.before.join('\n')}{'\n'}</del>}
            {h.after.length > 0 && <ins className={styles.ins}>{h.after.join('\n')}{'\n'}</ins>}
          </span>
        ),
      )}
    </pre>
  );
}

/** Rich text with the media that it shows, and the words of these media that changed. */
export function LinkedText({ before, after, marked, versions }: { before: string; after: string; marked: boolean; versions: Versions }) {
  const [was, is] = [linkedMedia(before), linkedMedia(after)];
  const library = useLibrary(versions.projectId, [...was, ...is], versions.library);
  const urls = (version: Version | undefined) => (id: number) => {
    const item = library.get(id);
    const sealed = version?.media[id];
    return item && (sealed ? sealedUrl(item, sealed) : (item.fullWebpUrl ?? item.fullUrl));
  };
  const reworded = is.filter((id) => marked && was.includes(id) && canonical(versions.before?.media[id]) !== canonical(versions.after.media[id]));
  return (
    <>
      <RichText before={marked ? before : undefined} after={after} locale={versions.locale} urls={{ before: urls(versions.before), after: urls(versions.after) }} />
      {reworded.length > 0 && <Media before={reworded} after={reworded} marked versions={versions} />}
    </>
  );
}

/** Media before and after. An item with the same file is shown once, with the changes of its caption, file name and tags. */
function Media({ before, after, marked, versions }: { before: unknown; after: unknown; marked: boolean; versions: Versions }) {
  const t = useTexts('common').fieldchange;
  const [was, is] = [ids(before), ids(after)];
  const library = useLibrary(versions.projectId, [...was, ...is], versions.library);
  if (was.length + is.length === 0) return <None />;
  const beforeOf = (id: number) => versions.before?.media[id];
  const afterOf = (id: number) => versions.after.media[id];
  const stayed = is.filter((id) => !marked || (was.includes(id) && beforeOf(id)?.hash === afterOf(id)?.hash));
  const removed = was.filter((id) => !stayed.includes(id));
  const added = is.filter((id) => !stayed.includes(id));
  const sides = removed.length > 0;
  const figure = (id: number, side: 'before' | 'after') => {
    const both = stayed.includes(id) && marked;
    const sealed = (side === 'before' ? beforeOf(id) : afterOf(id)) ?? undefined;
    return <Figure key={`${side} ${id}`} id={id} item={library.get(id)} sealed={sealed} wordsBefore={both ? beforeOf(id) : undefined} mark={stayed.includes(id) ? undefined : side === 'before' ? 'del' : 'ins'} />;
  };
  return (
    <div className={styles.media} data-sides={sides || undefined}>
      {sides && (
        <div>
          <h3>{versions.names?.before ?? t.before}</h3>
          {removed.map((id) => figure(id, 'before'))}
        </div>
      )}
      {added.length > 0 && (
        <div>
          {marked && <h3>{versions.names?.after ?? t.after}</h3>}
          {added.map((id) => figure(id, 'after'))}
        </div>
      )}
      {sides && added.length === 0 && stayed.length === 0 && (
        <div>
          <h3>{versions.names?.after ?? t.after}</h3>
          <p className={styles.none}>{t.noMedia}</p>
        </div>
      )}
      {stayed.length > 0 && <div>{stayed.map((id) => figure(id, 'after'))}</div>}
    </div>
  );
}

const pointText = (point: { x: number; y: number } | null | undefined, centre: string) => (point ? `${Math.round(point.x * 1000) / 10} % / ${Math.round(point.y * 1000) / 10} %` : centre);

type FigureProps = { id: number; item?: Schemas['MediaItem']; sealed?: SealedItem; wordsBefore?: SealedItem; mark?: 'ins' | 'del' };

function Figure({ id, item, sealed, wordsBefore, mark }: FigureProps) {
  const t = useTexts('common').fieldchange;
  const [broken, setBroken] = useState(false);
  const shown = sealed ?? item;
  const url = item && (sealed ? sealedUrl(item, sealed) : (item.fullWebpUrl ?? item.fullUrl));
  const fileName = shown?.fileName ?? t.medium(id);
  const caption = shown?.caption ?? '';
  const picture = item?.mimeType.startsWith('image/') && url && !broken;
  const tags = shown?.tags ?? [];
  return (
    <figure className={styles.figure}>
      {picture ? (
        <img src={url} alt={caption || fileName} loading="lazy" onError={() => setBroken(true)} />
      ) : (
        <div className={styles.file}>
          {broken ? <ImageOff aria-hidden /> : <File aria-hidden />}
          {url && !broken ? (
            <a href={url} target="_blank" rel="noopener noreferrer">
              {fileName}
            </a>
          ) : (
            fileName
          )}
        </div>
      )}
      <figcaption>
        {wordsBefore ? (
          <Words before={wordsBefore.caption} after={caption} />
        ) : caption ? (
          mark === 'ins' ? <ins className={styles.ins}>{caption}</ins> : mark === 'del' ? <del className={styles.del}>{caption}</del> : caption
        ) : (
          <span className={styles.none}>{t.noCaption}</span>
        )}
        <small>
          {wordsBefore && wordsBefore.fileName !== fileName ? <Words before={wordsBefore.fileName} after={fileName} /> : fileName}
          {(tags.length > 0 || (wordsBefore?.tags.length ?? 0) > 0) && ' · '}
          {wordsBefore ? <Words before={wordsBefore.tags.join(', ')} after={tags.join(', ')} /> : tags.join(', ')}
        </small>
        {(shown?.alt || wordsBefore?.alt) && (
          <small>
            {t.alt} {wordsBefore ? <Words before={wordsBefore.alt ?? ''} after={shown?.alt ?? ''} /> : shown?.alt}
          </small>
        )}
        {(shown?.focalPoint || wordsBefore?.focalPoint) && (
          <small>
            {t.focus} {wordsBefore ? <Words before={pointText(wordsBefore.focalPoint, t.centre)} after={pointText(shown?.focalPoint, t.centre)} /> : pointText(shown?.focalPoint, t.centre)}
          </small>
        )}
      </figcaption>
    </figure>
  );
}
