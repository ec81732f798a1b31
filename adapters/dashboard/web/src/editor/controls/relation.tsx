import { keepPreviousData, useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { ArrowUpRight, FileText } from 'lucide-react';
import { lazy, Suspense, useRef } from 'react';
import { StatusChip } from '../../content/statuschip';
import { useTexts } from '../../i18n/language';
import { focusNext } from '../../ui/focus';
import { inputClass } from '../../ui/textfields';
import ui from '../../ui/ui.module.css';
import { useEditing, type Field } from '../context';
import styles from '../editor.module.css';
import { nameOf, relatedQuery } from '../related';
import type { ControlProps } from './simple';
import { Row, Rows } from './rows';

const idsOf = (value: unknown): number[] => (Array.isArray(value) ? value : [value]).filter((id) => typeof id === 'number');

/** A control for related entries, with a picker that searches the target collection by title. */
export function RelationControl({ field, attributes, value, onChange }: ControlProps) {
  const ids = idsOf(value);
  const choose = (next: number[]) => onChange(field.multiple ? next : (next.at(-1) ?? null));
  const stack = useRef<HTMLDivElement>(null);
  /** The picker of a single relation goes away, so the focus moves to the chosen entry. */
  const pick = (id: number) => {
    choose([...ids, id]);
    if (!field.multiple) focusNext(() => stack.current?.querySelector<HTMLElement>('li a, li button'));
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

/** The target collection of a relation; undefined if it does not exist. */
export function useTarget(field: Field) {
  const { project, collections } = useEditing();
  const collection = collections.find((c) => c.slug === field.collection);
  return collection && { projectId: project.id, collection };
}

// Loaded on demand: a relation that already has its entry needs no picker.
const EntryPicker = lazy(() => import('./entrypicker'));

function Picker({ field, attributes, taken, onPick }: { field: Field; attributes: ControlProps['attributes']; taken: number[]; onPick: (id: number) => void }) {
  const t = useTexts('editor').relation;
  const { locale } = useEditing();
  const target = useTarget(field);
  if (!target) return <p className={ui.hint}>{t.gone}</p>;
  return (
    <Suspense fallback={<input className={inputClass} aria-label={field.label} readOnly />}>
      <EntryPicker target={target} locale={locale} attributes={attributes} taken={taken} onPick={onPick} />
    </Suspense>
  );
}

function RelatedEntry({ field, id, all }: { field: Field; id: number; all: number[] }) {
  const t = useTexts('editor').relation;
  const target = useTarget(field)!;
  const { data } = useQuery({ ...relatedQuery(target, all), placeholderData: keepPreviousData });
  const entry = data?.find((e) => e.id === id);
  const title = entry ? nameOf(target.collection, entry) : `#${id}`;
  return (
    <Row icon={<FileText aria-hidden />} title={title}>
      {entry && <StatusChip entry={entry} />}
      <Link
        to="/projects/$projectId/collections/$collectionId/entries/$entryId"
        params={{ projectId: target.projectId, collectionId: target.collection.id, entryId: id }}
        target="_blank"
        className={styles.rowLink}
        aria-label={t.open(title)}
      >
        <ArrowUpRight aria-hidden />
      </Link>
    </Row>
  );
}
