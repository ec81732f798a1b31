import { useRef, useState } from 'react';
import { $api } from '../../api/client';
import { ApiError, asApiError } from '../../api/error';
import { useTexts } from '../../i18n/language';
import { Note, Problem, Skeleton } from '../../ui/basics';
import { useForm } from '../../ui/form';
import { Checkbox, Fault, TextField } from '../../ui/forms';
import { SaveForm } from '../../ui/saveform';
import { toast } from '../../ui/toast';
import styles from '../settings.module.css';
import { componentFields, groupable, missing } from './grouping';
import { NameAndSlug } from './nameandslug';
import { collectionSlugOf, fieldNameOf, useSuggestion } from './names';
import { create, requestsOf, type Definition } from './requests';

type Props = { collection: Definition; onClose: () => void; onSaved: () => Promise<unknown> };

/**
 * A form that makes a component of fields of a collection, and a group that holds one item of it. Values do
 * not move: the fields are removed only if the collection has no entries.
 */
export function GroupFields({ collection, onClose, onSaved }: Props) {
  const path = { projectId: collection.projectId, collectionId: collection.id };
  const entries = $api.useQuery('get', '/api/projects/{projectId}/collections/{collectionId}/content', { params: { path, query: { limit: 1, locale: '*' } } }, { staleTime: 0 });
  const trash = $api.useQuery('get', '/api/projects/{projectId}/collections/{collectionId}/trash', { params: { path, query: { limit: 1 } } }, { staleTime: 0 });
  const error = entries.error ?? trash.error;
  if (error) return <Problem error={error} />;
  if (!entries.data || !trash.data) return <Skeleton />;
  return <Form collection={collection} empty={entries.data.data.length + trash.data.data.length === 0} onClose={onClose} onSaved={onSaved} />;
}

function Form({ collection, empty, onClose, onSaved }: Props & { empty: boolean }) {
  const t = useTexts('model').groupfields;
  const lists = useTexts('model').definitions;
  const [ownSlug, setOwnSlug] = useState(false);
  const made = useRef(''); // the slug of the component that a save made before it failed
  const form = useForm({ name: '', slug: '', field: '', fields: [] as readonly string[] }, async (values) => {
    const slug = ownSlug ? values.slug : (await suggestion.settled()).slug;
    const { fields } = values;
    const lost = missing(collection.fields, fields);
    if (fields.length === 0 || lost) throw new ApiError(422, { errors: [{ location: 'fields', message: lost ? t.madeFrom(lost.slug.label, lost.source.label) : t.none }] });
    if (made.current !== slug) await create('components', collection.projectId, { slug, name: values.name, fields: componentFields(collection.fields, fields) });
    made.current = slug;
    const requests = requestsOf('collections', collection);
    try {
      await requests.addField({ name: values.field || fieldNameOf(slug), label: values.name, type: 'group', component: slug });
    } catch (caught) {
      throw ofField(asApiError(caught));
    }
    // Slugs are removed before the fields that they are made from.
    const bySlugs = collection.fields.filter(({ name }) => fields.includes(name)).toSorted((a, b) => Number(b.type === 'slug') - Number(a.type === 'slug'));
    if (empty) for (const { name } of bySlugs) await requests.removeField(name);
    await onSaved();
    toast(t.made(values.name));
  });
  const suggestion = useSuggestion(
    (text) => ({ slug: collectionSlugOf(text), field: fieldNameOf(text) }),
    ({ slug, field }) => {
      form.set('slug', slug);
      form.set('field', field);
    },
  );
  const { values, fault } = form;
  return (
    <SaveForm form={form} action={t.make} onCancel={onClose} onSaved={onClose}>
      <Note tone={empty ? 'neutral' : 'wait'}>{empty ? t.noEntries : t.entries}</Note>
      <fieldset className={styles.group}>
        <legend>{t.fields}</legend>
        {collection.fields.filter(groupable).map(({ name, label }) => (
          <Checkbox key={name} isSelected={values.fields.includes(name)} onChange={(on) => form.set('fields', on ? [...values.fields, name] : values.fields.filter((one) => one !== name))}>
            {label}
          </Checkbox>
        ))}
        {fault('fields') && <Fault>{fault('fields')}</Fault>}
      </fieldset>
      <NameAndSlug form={form} slugHint={lists.components.slugHint} suggest={ownSlug ? undefined : suggestion.suggest} onOwnSlug={setOwnSlug} />
      <TextField label={t.field} hint={t.fieldHint} required autoComplete="off" spellCheck={false} {...form.field('field')} />
    </SaveForm>
  );
}

/** An error about the group with the faults of its name at the input of that name. */
const ofField = (error: ApiError) => new ApiError(error.status, { ...error.problem, errors: error.faults.map((fault) => (fault.location === 'name' ? { ...fault, location: 'field' } : fault)) });
