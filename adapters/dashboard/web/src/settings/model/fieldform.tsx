import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import type { Schemas } from '../../api/client';
import { collectionsQuery, componentsQuery } from '../../api/queries';
import { useTexts } from '../../i18n/language';
import { Mono } from '../../ui/basics';
import { useForm, type Form } from '../../ui/form';
import { changesOf } from '../../ui/formvalues';
import { DateField } from '../../ui/datefield';
import { Checkbox, Fault, NumberField, Select, TextArea, TextField } from '../../ui/forms';
import { toast } from '../../ui/toast';
import { SaveForm } from '../../ui/saveform';
import { useAcknowledge } from '../acknowledge';
import { Affected } from './affected';
import { CollectionsField, ComponentsField } from './componentsfield';
import css from './definition.module.css';
import { fieldTypes, type FieldType } from './fieldtypes';
import { admits, changeOf, choicesOf, inputOf, newField, optionsOf, searchableOf, sourceOf, valuesOf, type FieldValues } from './fieldvalues';
import { fieldNameOf, removedShape, useSuggestion } from './names';
import { requestsOf, type Definition, type Kind } from './requests';
import styles from '../settings.module.css';

type Props = { kind: Kind; definition: Definition; onClose: () => void; onSaved: () => Promise<unknown> };

/** A form that adds a field to a definition. */
export function AddField({ kind, definition, onClose, onSaved }: Props) {
  const t = useTexts('model').fieldform;
  const types = useTexts('model').fieldtypes;
  const hints: Partial<Record<FieldType, string>> = useTexts('model').fieldtypehints;
  const { ask, dialog } = useAcknowledge();
  const [ownName, setOwnName] = useState(false);
  const form = useForm(newField('text'), async (entered) => {
    const values = { ...entered, name: ownName ? entered.name : await suggestion.settled() };
    await ask((acknowledge) => requestsOf(kind, definition).addField(inputOf(values, kind), acknowledge));
    await onSaved();
    toast(t.added(values.label || values.name));
  });
  const suggestion = useSuggestion(fieldNameOf, (name) => form.set('name', name));
  const choose = (type: FieldType) => {
    form.set('type', type);
    if (type === 'slug') form.set('source', sourceOf(definition.fields));
  };
  const collections = useQuery(collectionsQuery(definition.projectId)).data?.data;
  const components = useQuery(componentsQuery(definition.projectId)).data?.data;
  const removed = removedShape(form.fault('name'));
  const typeOf = ({ type, target, multiple }: NonNullable<typeof removed>) => {
    const name = target && [...(collections ?? []), ...(components ?? [])].find((one) => one.slug === target)?.name;
    const shown = types[type as FieldType] + (target ? ` → ${target === 'several collections' ? t.severalCollections : (name ?? target)}` : '');
    return multiple ? t.listOf(shown) : shown;
  };
  return (
    <SaveForm form={form} action={t.add} onCancel={onClose} onSaved={onClose}>
      <fieldset className={css.types} aria-describedby="type-hint">
        <legend>{t.type}</legend>
        {(Object.keys(fieldTypes) as FieldType[]).filter((type) => admits(kind, type)).map((type) => {
          const Icon = fieldTypes[type].icon;
          return (
            <label key={type}>
              <input type="radio" name="type" value={type} checked={form.values.type === type} onChange={() => choose(type)} />
              <Icon aria-hidden />
              {types[type]}
            </label>
          );
        })}
        <small id="type-hint">{hints[form.values.type]}</small>
      </fieldset>
      <div className={styles.pair}>
        <TextField
          label={t.label}
          hint={t.labelHint}
          autoComplete="off"
          {...form.field('label')}
          onChange={(label) => {
            form.set('label', label);
            if (!ownName) suggestion.suggest(label);
          }}
        />
        <TextField
          label={t.name}
          hint={t.nameHint}
          required
          autoComplete="off"
          spellCheck={false}
          {...form.field('name')}
          fault={removed ? <>{t.wasRemoved(typeOf(removed))}</> : form.fault('name')}
          onChange={(name) => {
            form.set('name', name);
            setOwnName(name !== '');
          }}
        />
      </div>
      <Options form={form} kind={kind} definition={definition} isNew />
      {dialog}
    </SaveForm>
  );
}

/** A form that changes the options of a field. */
export function ChangeField({ kind, definition, field, onClose, onSaved }: Props & { field: Schemas['Field'] }) {
  const t = useTexts('model').fieldform;
  const types = useTexts('model').fieldtypes;
  const { ask, dialog } = useAcknowledge();
  const form = useForm(valuesOf(field), async (values, changed) => {
    await ask((acknowledge) => requestsOf(kind, definition).changeField(field.name, { ...changeOf(changed), acknowledge }));
    await onSaved();
    toast(t.changed(values.label));
  });
  return (
    <SaveForm form={form} action={t.save} onCancel={onClose} onSaved={onClose}>
      <p>
        {types[field.type]} · <Mono>{field.name}</Mono>
        {field.multiple && field.type !== 'blocks' && ` · ${t.multiple}`}
      </p>
      <TextField label={t.label} hint={t.labelHint} autoComplete="off" {...form.field('label')} />
      <Options form={form} kind={kind} definition={definition} />
      <Affected kind={kind} definition={definition} field={field} changed={changesOf(valuesOf(field), form.values)} />
      {dialog}
    </SaveForm>
  );
}

type OptionsProps = { form: Form<FieldValues>; kind: Kind; definition: Definition; isNew?: boolean };

/** The inputs for the options that the type of the field supports. */
function Options({ form, kind, definition, isNew }: OptionsProps) {
  const t = useTexts('model').fieldform;
  const collections = useQuery(collectionsQuery(definition.projectId)).data?.data ?? [];
  const components = useQuery(componentsQuery(definition.projectId)).data?.data ?? [];
  const { values, set, fault } = form;
  const fits = optionsOf(values, kind);
  const sources = definition.fields.filter((f) => f.type === 'text' && !f.multiple && f.name !== values.name);
  return (
    <>
      <TextField label={t.help} hint={t.helpHint} maxLength={300} autoComplete="off" {...form.field('help')} />
      {fits.collection && isNew && (
        <Checkbox isSelected={values.several} onChange={(on) => set('several', on)} hint={t.severalHint}>
          {t.several}
        </Checkbox>
      )}
      {fits.collection && values.several && <CollectionsField collections={collections} {...form.field('collections')} fault={fault('collections') ?? fault('collection')} isNew={isNew} />}
      {fits.collection && !values.several && (
        <Select
          label={t.collection}
          placeholder={t.choose}
          isDisabled={!isNew}
          value={values.collection || null}
          onChange={(slug) => set('collection', slug)}
          options={collections.map((c) => ({ id: c.slug, label: c.name }))}
          fault={fault('collection')}
        />
      )}
      {fits.component && (
        <Select
          label={t.component}
          hint={components.length === 0 ? t.noComponents : t.componentHint}
          placeholder={t.chooseComponent}
          isDisabled={!isNew}
          value={values.component || null}
          onChange={(slug) => set('component', slug)}
          options={components.map((c) => ({ id: c.slug, label: c.name }))}
          fault={fault('component')}
        />
      )}
      {fits.components && <ComponentsField components={components} {...form.field('components')} isNew={isNew} />}
      {fits.choices && <TextArea label={t.choices} hint={t.choicesHint} required rows={5} {...form.field('choices')} />}
      {fits.source && (
        <Select
          label={t.source}
          hint={t.sourceHint}
          value={values.source}
          onChange={(source: string) => set('source', source)}
          options={[{ id: '', label: t.none }, ...sources.map((f) => ({ id: f.name, label: f.label }))]}
          fault={fault('source')}
        />
      )}
      <div className={styles.pair}>
        <fieldset className={styles.group}>
          <legend>{t.rules}</legend>
          <Checkbox isSelected={values.required} onChange={(on) => set('required', on)} hint={t.requiredHint}>
            {t.required}
          </Checkbox>
          {fits.multiple && isNew && (
            <Checkbox isSelected={values.multiple} onChange={(on) => set('multiple', on)} hint={t.multipleHint}>
              {fits.component ? t.severalItems : t.multiple}
            </Checkbox>
          )}
          {fits.unique && (
            <Checkbox isSelected={values.unique} onChange={(on) => set('unique', on)} hint={t.uniqueHint}>
              {t.unique}
            </Checkbox>
          )}
          {fault('unique') && <Fault>{fault('unique')}</Fault>}
        </fieldset>
        {(fits.hidden || fits.filterable) && (
          <fieldset className={styles.group}>
            <legend>{t.readers}</legend>
            {fits.hidden && (
              <Checkbox isSelected={values.hidden} onChange={(on) => set('hidden', on)} hint={t.hiddenHint}>
                {t.hidden}
              </Checkbox>
            )}
            {fault('hidden') && <Fault>{fault('hidden')}</Fault>}
            {fits.filterable && (
              <Checkbox isSelected={values.filterable} onChange={(on) => set('filterable', on)} hint={t.filterableHint}>
                {t.filterable}
              </Checkbox>
            )}
            {fault('filterable') && <Fault>{fault('filterable')}</Fault>}
            {fits.searchable && (
              <Checkbox isSelected={searchableOf(values)} onChange={(on) => set('searchable', on)} hint={t.searchableHint}>
                {t.searchable}
              </Checkbox>
            )}
            {fault('searchable') && <Fault>{fault('searchable')}</Fault>}
          </fieldset>
        )}
      </div>
      {fits.bounds && (
        <div className={styles.pair}>
          <NumberField label={t.min[fits.bounds]} {...form.field('min')} />
          <NumberField label={t.max[fits.bounds]} {...form.field('max')} />
        </div>
      )}
      {fits.style && (
        <div className={styles.pair}>
          <Select
            label={t.style}
            hint={t.styleHint}
            value={values.style}
            onChange={(style) => set('style', style)}
            options={[
              { id: 'ascii' as const, label: t.styles.ascii },
              { id: 'unicode' as const, label: t.styles.unicode },
            ]}
            fault={fault('style')}
          />
          <Checkbox isSelected={values.path} onChange={(on) => set('path', on)} hint={t.pathHint}>
            {t.path}
          </Checkbox>
        </div>
      )}
      {fits.pattern && (
        <div className={styles.pair}>
          <TextField label={t.pattern} hint={t.patternHint} autoComplete="off" spellCheck={false} {...form.field('pattern')} />
          <TextField label={t.patternMessage} hint={t.patternMessageHint} maxLength={300} autoComplete="off" {...form.field('patternMessage')} />
        </div>
      )}
      <div className={styles.pair}>
        {fits.initial && !values.unique && <Initial form={form} kind={fits.initial} />}
        {fits.indexed && (
          <Select
            label={t.indexed}
            hint={t.indexedHint}
            value={values.indexed === null ? 'default' : values.indexed ? 'on' : 'off'}
            onChange={(choice) => set('indexed', choice === 'default' ? null : choice === 'on')}
            options={[
              { id: 'default', label: t.byType },
              { id: 'on', label: t.on },
              { id: 'off', label: t.off },
            ]}
            fault={fault('indexed')}
          />
        )}
      </div>
    </>
  );
}

function Initial({ form, kind }: { form: Form<FieldValues>; kind: NonNullable<ReturnType<typeof optionsOf>['initial']> }) {
  const t = useTexts('model').fieldform;
  const value = form.values.default;
  const set = (next: unknown) => form.set('default', next);
  const shared = { label: t.initial, hint: t.initialHint, fault: form.fault('default') };
  if (kind === 'number') return <NumberField {...shared} value={typeof value === 'number' ? value : null} onChange={set} />;
  if (kind === 'boolean' || kind === 'choice') {
    const options =
      kind === 'boolean'
        ? [
            { id: 'true', label: t.yes },
            { id: 'false', label: t.no },
          ]
        : choicesOf(form.values.choices).map((choice) => ({ id: `=${choice}`, label: choice }));
    const key = value === null ? '' : kind === 'boolean' ? String(value) : `=${String(value)}`;
    return <Select {...shared} value={key} onChange={(id: string) => set(id === '' ? null : kind === 'boolean' ? id === 'true' : id.slice(1))} options={[{ id: '', label: t.none }, ...options]} />;
  }
  if (kind !== 'text') return <DateField {...shared} kind={kind} value={typeof value === 'string' ? value : null} onChange={set} />;
  return <TextField {...shared} value={typeof value === 'string' ? value : ''} onChange={(text) => set(text === '' ? null : text)} />;
}
