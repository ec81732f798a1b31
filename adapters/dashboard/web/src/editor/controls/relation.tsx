import { keepPreviousData, useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { ArrowUpRight, FileText, Pencil, Plus } from 'lucide-react';
import { lazy, Suspense, use, useRef } from 'react';
import { StatusChip } from '../../content/statuschip';
import { may } from '../../api/rights';
import { targetsOf } from '../../api/fields';
import { useTexts } from '../../i18n/language';
import { Chip } from '../../ui/basics';
import { Button, IconButton } from '../../ui/button';
import { focusNext } from '../../ui/focus';
import { inputClass } from '../../ui/textfields';
import ui from '../../ui/ui.module.css';
import { RelatedContext, useEditing, type Field } from '../context';
import styles from '../editor.module.css';
import { collectionOf, nameOf, relatedQuery, type Target } from '../related';
import type { ControlProps } from './simple';
import { Row, Rows } from './rows';

const idsOf = (value: unknown): number[] => (Array.isArray(value) ? value : [value]).filter((id) => typeof id === 'number');

/** A control for related entries, with a picker that searches the target collections by title. */
export function RelationControl({ field, attributes, value, onChange }: ControlProps) {
  const ids = idsOf(value);
  const choose = (next: number[]) => onChange(field.multiple ? next : (next.at(-1) ?? null));
  const stack = useRef<HTMLDivElement>(null);
  /** The picker of a single relation goes away, so the focus moves to the chosen entry. */
  const pick = (id: number) => {
    choose([...ids, id]);
    if (!field.multiple) focusNext(() => stack.current?.querySelector<HTMLElement>('li a') ?? stack.current?.querySelector<HTMLElement>('li button'));
  };
  return (
    <div className={styles.stack} ref={stack}>
      {ids.length > 0 && (
        <Rows
          label={field.label}
          keys={ids}
          onChange={(next) => choose(next as number[])}
          sortable={field.multiple}
          children={(id) => <RelatedEntry field={field} id={id as number} all={ids} />}
        />
      )}
      {(field.multiple || ids.length === 0) && <Picker field={field} attributes={attributes} taken={ids} onPick={pick} />}
    </div>
  );
}

/** The collections that a relation leads to; undefined if none exists. */
export function useTarget(field: Field): Target | undefined {
  const { project, collections } = useEditing();
  const targets = targetsOf(field, collections);
  return targets.length > 0 ? { projectId: project.id, collections: targets } : undefined;
}

// Loaded on demand: a relation that already has its entry needs no picker.
const EntryPicker = lazy(() => import('./entrypicker'));

function Picker({ field, attributes, taken, onPick }: { field: Field; attributes: ControlProps['attributes']; taken: number[]; onPick: (id: number) => void }) {
  const t = useTexts('editor').relation;
  const { project, locale } = useEditing();
  const showRelated = use(RelatedContext);
  const target = useTarget(field);
  if (!target) return <p className={ui.hint}>{t.gone}</p>;
  return (
    <>
      <Suspense fallback={<input className={inputClass} aria-label={field.label} readOnly />}>
        <EntryPicker target={target} locale={locale} attributes={attributes} taken={taken} onPick={onPick} />
      </Suspense>
      {showRelated && may(project, 'content.write') && (
        <span className={styles.creates}>
          {target.collections.map((collection) => (
            <Button key={collection.id} kind="quiet" icon={<Plus aria-hidden />} onPress={() => showRelated({ collection, picked: onPick })}>
              {t.create(collection.name)}
            </Button>
          ))}
        </span>
      )}
    </>
  );
}

function RelatedEntry({ field, id, all }: { field: Field; id: number; all: number[] }) {
  const t = useTexts('editor').relation;
  const target = useTarget(field)!;
  const showRelated = use(RelatedContext);
  const { data } = useQuery({ ...relatedQuery(target, all), placeholderData: keepPreviousData });
  const entry = data?.find((e) => e.id === id);
  // The collection of an entry of several is known with the entry.
  const collection = field.collections ? collectionOf(target, entry) : target.collections[0];
  const title = entry && collection ? nameOf(collection, entry) : `#${id}`;
  return (
    <Row icon={<FileText aria-hidden />} title={title}>
      {field.collections && collection && <Chip plain>{collection.name}</Chip>}
      {entry && <StatusChip entry={entry} />}
      {collection && entry && showRelated && <IconButton label={t.edit(title)} icon={<Pencil aria-hidden />} onPress={() => showRelated({ collection, entryId: entry.id })} />}
      {collection && (
        <Link
          to="/projects/$projectId/collections/$collectionId/entries/$entryId"
          params={{ projectId: target.projectId, collectionId: collection.id, entryId: id }}
          target="_blank"
          className={styles.rowLink}
          aria-label={t.open(title)}
        >
          <ArrowUpRight aria-hidden />
        </Link>
      )}
    </Row>
  );
}
