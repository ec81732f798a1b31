import { useQuery, useQueryClient } from '@tanstack/react-query';
import { Group, Pencil, Plus, Trash2 } from 'lucide-react';
import { useState } from 'react';
import type { Schemas } from '../../api/client';
import { asApiError, type ApiError } from '../../api/error';
import { collectionsQuery, componentsQuery } from '../../api/queries';
import { useTexts } from '../../i18n/language';
import { Chip, Empty, Mono, Problem } from '../../ui/basics';
import { Button, IconButton } from '../../ui/button';
import { Dialog } from '../../ui/overlays';
import { Sortable } from '../../ui/sortable';
import { toast } from '../../ui/toast';
import { useAcknowledge } from '../acknowledge';
import { Deletion } from '../deletion';
import { Section } from '../parts';
import styles from '../settings.module.css';
import css from './definition.module.css';
import { Affected } from './affected';
import { AddField, ChangeField } from './fieldform';
import { fieldTypes } from './fieldtypes';
import { GroupFields } from './groupfields';
import { groupable } from './grouping';
import { definitionsQuery, requestsOf, useRefresh, type Definition, type Kind } from './requests';

type Field = Schemas['Field'];
type Open = { what: 'add' | 'group' } | { what: 'change' | 'remove'; field: Field };

/** The fields of a definition in their order. */
export function Fields({ kind, definition, manages }: { kind: Kind; definition: Definition; manages: boolean }) {
  const t = useTexts('model').definition;
  const client = useQueryClient();
  const refresh = useRefresh(definition.projectId);
  const { ask, dialog } = useAcknowledge();
  const [open, setOpen] = useState<Open>();
  const [error, setError] = useState<ApiError>();
  const close = () => setOpen(undefined);
  const collections = useQuery(collectionsQuery(definition.projectId)).data?.data;
  const components = useQuery(componentsQuery(definition.projectId)).data?.data;
  const requests = requestsOf(kind, definition);

  // Optimistic update: show the new order at once, and revert it if the API rejects it.
  const order = async (fields: Field[]) => {
    const { queryKey } = definitionsQuery(kind, definition.projectId);
    setError(undefined);
    await client.cancelQueries({ queryKey });
    client.setQueryData(queryKey, (now: { data: Definition[] } | undefined) => now && { ...now, data: now.data.map((one) => (one.id === definition.id ? { ...one, fields } : one)) });
    try {
      await requests.change({ order: fields.map((f) => f.name) });
    } catch (caught) {
      setError(asApiError(caught));
    }
    await refresh();
  };
  const remove = async (name: string) => {
    await ask((acknowledge) => requests.removeField(name, acknowledge));
    await refresh();
    toast(t.fieldRemoved(name));
  };
  return (
    <Section
      title={t.fields}
      lead={t[kind].fieldsLead}
      actions={
        manages && (
          <>
            {kind === 'collections' && definition.fields.some(groupable) && (
              <Button icon={<Group aria-hidden />} onPress={() => setOpen({ what: 'group' })}>
                {t.groupFields}
              </Button>
            )}
            <Button kind="primary" icon={<Plus aria-hidden />} onPress={() => setOpen({ what: 'add' })}>
              {t.addField}
            </Button>
          </>
        )
      }
    >
      {error && <Problem error={error} />}
      {definition.fields.length === 0 ? (
        <Empty title={t.noFields}>
          <p>{t.noFieldsHint}</p>
        </Empty>
      ) : (
        <div className={css.fields}>
          <Sortable
            label={t.fields}
            items={definition.fields.map((field) => ({ id: field.name, field }))}
            nameOf={({ field }) => field.label}
            onOrder={manages ? (items) => void order(items.map(({ field }) => field)) : undefined}
          >
            {({ field }) => (
              <>
                <FieldText field={field} targets={targetNames(field, collections, components)} />
                {manages && (
                  <span className={styles.rowActions}>
                    <IconButton label={t.change(field.label)} icon={<Pencil aria-hidden />} onPress={() => setOpen({ what: 'change', field })} />
                    <IconButton label={t.removeField(field.label)} icon={<Trash2 aria-hidden />} onPress={() => setOpen({ what: 'remove', field })} />
                  </span>
                )}
              </>
            )}
          </Sortable>
        </div>
      )}
      <Dialog title={t.addField} isOpen={open?.what === 'add'} onClose={close} size="large">
        <AddField kind={kind} definition={definition} onClose={close} onSaved={refresh} />
      </Dialog>
      <Dialog title={t.groupFields} isOpen={open?.what === 'group'} onClose={close} size="large">
        <GroupFields collection={definition} onClose={close} onSaved={refresh} />
      </Dialog>
      <Dialog title={open?.what === 'change' ? open.field.label : ''} isOpen={open?.what === 'change'} onClose={close} size="large">
        {open?.what === 'change' && <ChangeField kind={kind} definition={definition} field={open.field} onClose={close} onSaved={refresh} />}
      </Dialog>
      <Deletion
        title={open?.what === 'remove' ? t.removeFieldTitle(open.field.label) : ''}
        isOpen={open?.what === 'remove'}
        onClose={close}
        action={t.removeIt}
        onDelete={async () => {
          if (open?.what === 'remove') await remove(open.field.name);
        }}
      >
        <p>{t.removeFieldText}</p>
        {open?.what === 'remove' && <Affected kind={kind} definition={definition} field={open.field} />}
      </Deletion>
      {dialog}
    </Section>
  );
}

type Named = readonly { slug: string; name: string }[] | undefined;

/** The names of the collections or components that a field leads to. */
function targetNames({ collection, collections, component, components }: Field, allCollections: Named, allComponents: Named) {
  const names = (slugs: readonly (string | undefined)[], all: Named) => slugs.flatMap((slug) => (slug ? (all?.find((one) => one.slug === slug)?.name ?? slug) : []));
  return [...names([collection, ...(collections ?? [])], allCollections), ...names([component, ...(components ?? [])], allComponents)].join(', ');
}

/** What a field is and which options it has. */
function FieldText({ field, targets }: { field: Field; targets: string }) {
  const t = useTexts('model').definition;
  const types = useTexts('model').fieldtypes;
  const Icon = fieldTypes[field.type].icon;
  return (
    <div className={css.field}>
      <Icon aria-hidden />
      <div>
        <b>{field.label}</b>
        <small>
          {types[field.type]}
          {targets && ` → ${targets}`} · <Mono>{field.name}</Mono>
        </small>
      </div>
      <span>
        {field.required && <Chip plain>{t.required}</Chip>}
        {field.unique && <Chip plain>{t.unique}</Chip>}
        {field.multiple && field.type !== 'blocks' && <Chip plain>{t.multiple}</Chip>}
        {field.filterable && <Chip plain>{t.filterable}</Chip>}
        {field.hidden && (
          <Chip plain tone="wait">
            {t.hidden}
          </Chip>
        )}
      </span>
    </div>
  );
}
