import { Link } from '@tanstack/react-router';
import { useRef, useState } from 'react';
import type { Schemas } from '../../api/client';
import { ApiError, asApiError } from '../../api/error';
import { Said } from '../../faults/said';
import { useFormat } from '../../i18n/format';
import { useTexts } from '../../i18n/language';
import { Note } from '../../ui/basics';
import { Button } from '../../ui/button';
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
/** What keeps the old fields: numbers of published versions without the group, and the entries that have faults. */
type Kept = Pick<Schemas['Filled'], 'governed' | 'release' | 'scheduled' | 'trashed' | 'skipped'>;

/**
 * A form that makes a component of fields of a collection and a group that holds one item of it, and copies
 * the values of all entries. The fields are removed if no published version keeps values in them alone.
 */
export function GroupFields({ collection, onClose, onSaved }: Props) {
  const t = useTexts('model').groupfields;
  const lists = useTexts('model').definitions;
  const format = useFormat();
  const [ownSlug, setOwnSlug] = useState(false);
  const [changed, setChanged] = useState(0);
  const [kept, setKept] = useState<Kept>();
  const made = useRef(''); // the slug of the component that a save made before it failed
  const grouped = useRef(''); // the name of the group that it made
  const requests = requestsOf('collections', collection);

  /** Copies the values, in as many requests as it takes, until no entry is left that has only the fields. */
  const fill = async (group: string, fields: readonly string[]) => {
    let count: number;
    let stay: Kept;
    do {
      count = 0;
      let after: number | undefined;
      stay = { governed: 0, release: null, scheduled: 0, trashed: 0, skipped: [] };
      do {
        const done = await requests.fill(group, { fields: [...fields], after });
        count += done.changed;
        setChanged((before) => before + done.changed);
        for (const reason of ['governed', 'scheduled', 'trashed'] as const) stay[reason] += done[reason];
        stay.release = done.release ?? stay.release;
        stay.skipped.push(...done.skipped);
        after = done.after ?? undefined;
      } while (after);
    } while (count > 0);
    return stay;
  };
  const form = useForm({ name: '', slug: '', field: '', fields: [] as readonly string[] }, async (values) => {
    const slug = ownSlug ? values.slug : (await suggestion.settled()).slug;
    const { fields } = values;
    const lost = missing(collection.fields, fields);
    if (fields.length === 0 || lost) throw new ApiError(422, { errors: [{ location: 'fields', message: lost ? t.madeFrom(lost.slug.label, lost.source.label) : t.none }] });
    if (made.current !== slug) await create('components', collection.projectId, { slug, name: values.name, fields: componentFields(collection.fields, fields) });
    made.current = slug;
    const group = values.field || fieldNameOf(slug);
    try {
      if (grouped.current !== group) await requests.addField({ name: group, label: values.name, type: 'group', component: slug });
    } catch (caught) {
      throw ofField(asApiError(caught));
    }
    grouped.current = group;
    setChanged(0);
    const stay = await fill(group, fields);
    const whole = stay.governed + stay.scheduled + stay.trashed + stay.skipped.length === 0;
    // Slugs are removed before the fields that they are made from.
    const bySlugs = collection.fields.filter(({ name }) => fields.includes(name)).toSorted((a, b) => Number(b.type === 'slug') - Number(a.type === 'slug'));
    if (whole) for (const { name } of bySlugs) await requests.removeField(name);
    await onSaved();
    toast(t.made(values.name));
    if (whole) onClose();
    else setKept(stay);
  });
  const suggestion = useSuggestion(
    (text) => ({ slug: collectionSlugOf(text), field: fieldNameOf(text) }),
    ({ slug, field }) => {
      form.set('slug', slug);
      form.set('field', field);
    },
  );
  const { values, fault } = form;
  if (kept) {
    return (
      <>
        <Note tone="wait">{t.kept}</Note>
        <ul className={styles.list}>
          {kept.governed > 0 && (
            <li>
              {t.governed(kept.governed, format.number(kept.governed))}{' '}
              {kept.release && (
                <Link to="/projects/$projectId/releases/$releaseId" params={{ projectId: collection.projectId, releaseId: kept.release.id }}>
                  {kept.release.name}
                </Link>
              )}
            </li>
          )}
          {kept.scheduled > 0 && <li>{t.scheduled(kept.scheduled, format.number(kept.scheduled))}</li>}
          {kept.trashed > 0 && <li>{t.trashed(kept.trashed, format.number(kept.trashed))}</li>}
        </ul>
        {kept.skipped.length > 0 && <SkippedEntries collection={collection} skipped={kept.skipped} />}
        <Button kind="primary" onPress={onClose}>
          {t.close}
        </Button>
      </>
    );
  }
  return (
    <SaveForm form={form} action={t.make} onCancel={onClose} note={form.pending && changed > 0 ? t.progress(changed, format.number(changed)) : undefined}>
      <Note>{t.lead}</Note>
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

const shownFaults = 100;

/** The entries that stay as they are because they have faults, the first of them with links. */
function SkippedEntries({ collection, skipped }: { collection: Definition; skipped: Kept['skipped'] }) {
  const t = useTexts('model').groupfields;
  const format = useFormat();
  const label = (name: string) => collection.fields.find((field) => field.name === name)?.label ?? name;
  return (
    <>
      <p>{t.skipped(skipped.length, format.number(skipped.length))}</p>
      <ul className={styles.list}>
        {skipped.slice(0, shownFaults).map(({ id, faults }) => (
          <li key={id}>
            <Link to="/projects/$projectId/collections/$collectionId/entries/$entryId" params={{ projectId: collection.projectId, collectionId: collection.id, entryId: id }}>
              {t.entry(id)}
            </Link>
            {faults.map(({ location, message }) => (
              <small key={location}>
                {' '}
                {label(location.replace(/^fields\./, ''))} <Said text={message} />
              </small>
            ))}
          </li>
        ))}
      </ul>
    </>
  );
}

/** An error about the group with the faults of its name at the input of that name. */
const ofField = (error: ApiError) => new ApiError(error.status, { ...error.problem, errors: error.faults.map((fault) => (fault.location === 'name' ? { ...fault, location: 'field' } : fault)) });
