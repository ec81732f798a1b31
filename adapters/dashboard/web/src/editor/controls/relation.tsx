import { keepPreviousData, useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { ArrowUpRight, FileText, Search } from 'lucide-react';
import { useEffect, useState } from 'react';
import { ComboBox, Input, ListBox, ListBoxItem, Popover } from 'react-aria-components';
import { StatusChip } from '../../content/statuschip';
import { texts, useTexts } from '../../i18n/language';
import { inputClass } from '../../ui/forms';
import ui from '../../ui/ui.module.css';
import { useEditing, type Field } from '../context';
import styles from '../editor.module.css';
import { candidatesQuery, nameOf, relatedQuery } from '../related';
import type { ControlProps } from './simple';
import { Row, Rows } from './rows';

const idsOf = (value: unknown): number[] => (Array.isArray(value) ? value : [value]).filter((id) => typeof id === 'number');

/** The entries that this one points to, and a picker that searches the other collection by title. */
export function RelationControl({ field, attributes, value, onChange }: ControlProps) {
  const ids = idsOf(value);
  const choose = (next: number[]) => onChange(field.multiple ? next : (next.at(-1) ?? null));
  return (
    <div className={styles.stack}>
      {ids.length > 0 && (
        <Rows
          label={field.label}
          keys={ids}
          onChange={(next) => choose(next as number[])}
          sortable={field.multiple}
          children={(id) => <RelatedEntry field={field} id={id as number} all={ids} />}
        />
      )}
      {(field.multiple || ids.length === 0) && <EntryPicker field={field} attributes={attributes} taken={ids} onPick={(id) => choose([...ids, id])} />}
    </div>
  );
}

/** The collection that a relation points to. */
export function useTarget(field: Field) {
  const { project, collections } = useEditing();
  const collection = collections.find((c) => c.slug === field.collection);
  return collection && { projectId: project.id, collection };
}

function RelatedEntry({ field, id, all }: { field: Field; id: number; all: number[] }) {
  const t = useTexts(words);
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

/** Searches the entries of a collection by title. */
function EntryPicker({ field, attributes, taken, onPick }: { field: Field; attributes: ControlProps['attributes']; taken: number[]; onPick: (id: number) => void }) {
  const t = useTexts(words);
  const { locale } = useEditing();
  const target = useTarget(field);
  const [text, setText] = useState('');
  const [searched, setSearched] = useState('');
  const [active, setActive] = useState(false);
  useEffect(() => {
    const timer = setTimeout(() => setSearched(text.trim()), 200);
    return () => clearTimeout(timer);
  }, [text]);
  const { data } = useQuery({ ...candidatesQuery(target!, locale, searched), enabled: active && target !== undefined, placeholderData: keepPreviousData });
  if (!target) return <p className={ui.hint}>{t.gone}</p>;
  const found = (data ?? []).filter((e) => !taken.includes(e.id));
  return (
    <ComboBox
      aria-label={t.search(target.collection.name)}
      className={styles.picker!}
      items={found}
      inputValue={text}
      onInputChange={setText}
      selectedKey={null}
      onSelectionChange={(key) => {
        if (key === null) return;
        setText('');
        onPick(Number(key));
      }}
      onFocusChange={(focused) => focused && setActive(true)}
      menuTrigger="focus"
      allowsEmptyCollection
      isInvalid={attributes['aria-invalid']}
    >
      <Search aria-hidden />
      <Input id={attributes.id} aria-describedby={attributes['aria-describedby']} className={inputClass} placeholder={t.search(target.collection.name)} />
      <Popover className={ui.popover!}>
        <ListBox className={ui.list!} renderEmptyState={() => <div className={styles.nothing}>{data ? t.nothing : t.loading}</div>}>
          {(entry: (typeof found)[number]) => {
            const title = nameOf(target.collection, entry);
            return (
              <ListBoxItem id={entry.id} textValue={title} className={ui.item!}>
                <span className={styles.candidate}>{title}</span>
                <StatusChip entry={entry} />
              </ListBoxItem>
            );
          }}
        </ListBox>
      </Popover>
    </ComboBox>
  );
}

const words = texts({
  en: { search: (name: string) => `Search ${name}`, open: (title: string) => `Open ${title}`, nothing: 'Nothing found', loading: 'Searching…', gone: 'The collection does not exist any more.' },
  de: { search: (name: string) => `${name} durchsuchen`, open: (title: string) => `${title} öffnen`, nothing: 'Nichts gefunden', loading: 'Wird gesucht…', gone: 'Die Sammlung gibt es nicht mehr.' },
});
