import { useId, useState } from 'react';
import { useQueries } from '@tanstack/react-query';
import type { Schemas } from '../api/client';
import type { Operator } from '../api/operators';
import { targetSlugs, targetsOf } from '../api/fields';
import { useFormat } from '../i18n/format';
import { useTexts } from '../i18n/language';
import { Button } from '../ui/button';
import { DateField } from '../ui/datefield';
import { NumberField, Select, TextArea, TextField } from '../ui/forms';
import { fieldNamed, operatorsOf, readable, sharedFields, systemFields, titleField, valuesOf, type Field } from './fields';
import { useColumnLabel } from './columnlabel';
import type { Texts } from '../texts/languages';
import { mediaItemQuery } from '../media/data';
import { PickedEntries, PickedMedia } from './pickedvalues';
import { titlesQuery } from './rows';
import type { Filter } from './search';
import styles from './table.module.css';

type EditorProps = { project: Schemas['Project']; collection: Schemas['Collection']; collections: readonly Schemas['Collection'][]; filter?: Filter; onApply: (filter: Filter) => void };

/** A form for one filter: field, operator and values. */
export function FilterEditor({ project, collection, collections, filter, onApply }: EditorProps) {
  const t = useTexts('content').filtereditor;
  const label = useColumnLabel();
  const [name, setName] = useState(filter?.[0] ?? titleField(collection)?.name ?? 'id');
  const field = fieldNamed(collection, name, collections) ?? systemFields[0]!;
  const [operator, setOperator] = useState<Operator>(filter?.[1] ?? operatorsOf(field)[0]!);
  const [values, setValues] = useState<string[]>(filter?.slice(2) ?? []);

  const count = valuesOf(operator);
  const given = count === Infinity ? values.map((v) => v.trim()).filter(Boolean) : values.slice(0, count).map((v) => v.trim());
  const complete = count === Infinity ? given.length > 0 : given.length === count && given.every(Boolean);

  const choose = (next: string) => {
    const chosen = fieldNamed(collection, next, collections);
    if (!chosen) return;
    setName(next);
    if (!operatorsOf(chosen).includes(operator)) setOperator(operatorsOf(chosen)[0]!);
    if (chosen.type !== field.type || targetSlugs(chosen).join() !== targetSlugs(field).join()) setValues(chosen.type === 'boolean' ? ['true'] : []);
  };
  const targets = targetsOf(field, collections);
  const several = count === Infinity;
  const picking = { project, label: several ? t.values : t.value, values, several, onChange: setValues };
  const picked = field.type === 'media' ? <PickedMedia {...picking} /> : targets.length > 0 && <PickedEntries {...picking} targets={targets} />;
  const own = readable(collection);
  const related = own.flatMap((relation) => {
    const shared = sharedFields(targetsOf(relation, collections));
    return shared.length > 0 ? [{ title: relation.label, options: shared.map((f) => ({ id: `${relation.name}.${f.name}`, label: f.label })) }] : [];
  });

  return (
    <form
      className={styles.editor}
      onSubmit={(event) => {
        event.preventDefault();
        if (complete) onApply([name, operator, ...given]);
      }}
    >
      <Select
        label={t.field}
        value={name}
        onChange={choose}
        options={own.map((f) => ({ id: f.name, label: f.label }))}
        groups={[{ title: t.every, options: systemFields.map((f) => ({ id: f.name, label: label(f) })) }, ...related]}
      />
      <Select label={t.comparison} value={operator} onChange={setOperator} options={operatorsOf(field).map((id) => ({ id, label: operatorWord(t, id, field) }))} />
      {count > 0 && picked ? (
        picked
      ) : count === Infinity ? (
        field.choices && field.choices.length > 0 ? (
          <Choices choices={field.choices} values={values} onChange={setValues} />
        ) : (
          <TextArea label={t.values} hint={t.onePerLine} value={values.join('\n')} onChange={(text) => setValues(text.split('\n'))} rows={4} />
        )
      ) : (
        Array.from({ length: count }, (_, i) => (
          <Value key={i} field={field} label={count === 1 ? t.value : i === 0 ? t.from : t.to} value={values[i] ?? ''} onChange={(value) => setValues(Array.from({ length: count }, (_, j) => (j === i ? value : (values[j] ?? ''))))} />
        ))
      )}
      <Button type="submit" kind="primary" isDisabled={!complete}>
        {filter ? t.apply : t.add}
      </Button>
    </form>
  );
}

function Choices({ choices, values, onChange }: { choices: string[]; values: string[]; onChange: (values: string[]) => void }) {
  const t = useTexts('content').filtereditor;
  const id = useId();
  return (
    <fieldset className={styles.choices} aria-labelledby={id}>
      <span id={id}>{t.values}</span>
      {choices.map((choice) => (
        <label key={choice}>
          <input type="checkbox" checked={values.includes(choice)} onChange={(e) => onChange(e.target.checked ? [...values.filter(Boolean), choice] : values.filter((v) => v !== choice))} />
          {choice}
        </label>
      ))}
    </fieldset>
  );
}

function Value({ field, label, value, onChange }: { field: Field; label: string; value: string; onChange: (value: string) => void }) {
  const t = useTexts('content').filtereditor;
  const { timeZone } = useFormat();
  if (field.type === 'boolean') {
    return <Select label={label} value={value || null} onChange={onChange} options={[{ id: 'true', label: t.yes }, { id: 'false', label: t.no }]} />;
  }
  if (field.choices && field.choices.length > 0) {
    return <Select label={label} value={value || null} onChange={onChange} options={field.choices.map((choice) => ({ id: choice, label: choice }))} />;
  }
  if (field.type === 'date' || field.type === 'time' || field.type === 'datetime') {
    return <DateField kind={field.type} label={label} hint={field.type === 'datetime' ? timeZone : undefined} value={value || null} onChange={(next) => onChange(next ?? '')} timeZone={timeZone} />;
  }
  if (field.type === 'number') {
    return <NumberField label={label} value={value === '' ? null : Number(value)} onChange={(number) => onChange(number === null ? '' : String(number))} autoFocus />;
  }
  return <TextField label={label} value={value} onChange={onChange} autoFocus />;
}

/** The names of the entries and files that filters name by id: "relation 12" or "media 5" and the name. */
function useNames(project: Schemas['Project'], collection: Schemas['Collection'], collections: readonly Schemas['Collection'][], filters: readonly Filter[]): ReadonlyMap<string, string> {
  const named = filters.map(([name, , ...values]) => ({ field: fieldNamed(collection, name, collections), ids: values.map(Number).filter(Boolean) }));
  const targets = named.flatMap(({ field, ids }) => targetsOf(field, collections).map((target) => ({ target, ids })));
  const files = named.flatMap(({ field, ids }) => (field?.type === 'media' ? ids : []));
  const titles = useQueries({ queries: targets.map(({ target, ids }) => titlesQuery(project, target, ids)) });
  const items = useQueries({ queries: files.map((id) => mediaItemQuery(project.id, id)) });
  return new Map([
    ...titles.flatMap(({ data }) => data ?? []).map(([id, title]) => [`relation ${id}`, title] as const),
    ...items.flatMap(({ data }) => (data ? [[`media ${data.id}`, data.fileName] as const] : [])),
  ]);
}

/** Returns a function that describes a filter: "Title contains harbour". It names the entries and files of filters. */
export function useFilterWords(project: Schemas['Project'], collection: Schemas['Collection'], collections: readonly Schemas['Collection'][], filters: readonly Filter[]) {
  const names = useNames(project, collection, collections, filters);
  const t = useTexts('content').filtereditor;
  const format = useFormat();
  const label = useColumnLabel();
  return ([name, operator, ...values]: Filter) => {
    const field = fieldNamed(collection, name, collections);
    if (!field) return `${name} ?`;
    const shown = values.map((value) => {
      if (field.type === 'boolean') return value === 'true' ? t.yes : t.no;
      if (field.type === 'datetime' && !Number.isNaN(Date.parse(value))) return format.dateTime(value);
      if (field.type === 'relation' || field.type === 'media') return names.get(`${field.type} ${value}`) || `#${value}`;
      if (field.type === 'number' && name !== 'id' && !Number.isNaN(Number(value))) return format.number(Number(value));
      if (field.type === 'date' && !Number.isNaN(Date.parse(value))) return format.day(value);
      return value;
    });
    const several = shown.join(valuesOf(operator) === 2 ? ' – ' : ', ');
    return [label({ name, field }), operatorWord(t, operator, field), several].filter(Boolean).join(' ');
  };
}

const temporal = new Set<Field['type']>(['date', 'time', 'datetime']);

function operatorWord(t: Texts['content']['filtereditor'], operator: Operator, field: Field) {
  if (temporal.has(field.type) && operator in t.times) return t.times[operator as keyof typeof t.times];
  if (field.multiple && operator in t.multiple) return t.multiple[operator as keyof typeof t.multiple];
  return t.operators[operator];
}
