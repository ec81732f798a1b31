import { useQuery, useQueryClient } from '@tanstack/react-query';
import { getRouteApi, Link, useNavigate } from '@tanstack/react-router';
import { Pencil, Plus, Trash2 } from 'lucide-react';
import { useState } from 'react';
import { $api, api, type Schemas } from '../../api/client';
import { asApiError, type ApiError } from '../../api/error';
import { collectionsQuery } from '../../api/queries';
import { may } from '../../api/rights';
import { useFormat } from '../../i18n/format';
import { useTexts } from '../../i18n/language';
import { NotFound } from '../../shell/failed';
import { Chip, Empty, Mono, Problem, Skeleton } from '../../ui/basics';
import { Button, ButtonLink, IconButton } from '../../ui/button';
import { useForm } from '../../ui/form';
import { TextArea, TextField } from '../../ui/forms';
import { Dialog } from '../../ui/overlays';
import { Switch } from '../../ui/toggles';
import { toast } from '../../ui/toast';
import { SaveForm } from '../../ui/saveform';
import { Sortable } from '../../ui/sortable';
import { useAcknowledge } from '../acknowledge';
import css from './definition.module.css';
import { Deletion, Removal } from '../deletion';
import { AddField, ChangeField } from './fieldform';
import { fieldTypes } from './fieldtypes';
import { ProjectPage, Section } from '../parts';
import styles from '../settings.module.css';

type Collection = Schemas['Collection'];
type Field = Schemas['Field'];

const route = getRouteApi('/app/projects/$projectId/collections/$collectionId/definition');

/** The page of the definition of a collection. */
export function DefinitionPage() {
  const t = useTexts('model').definition;
  const { projectId, collectionId } = route.useParams();
  const query = useQuery(collectionsQuery(projectId));
  const collection = query.data?.data.find((c) => c.id === collectionId);
  if (query.data && !collection) return <NotFound />;
  return (
    <ProjectPage
      projectId={projectId}
      title={collection?.name ?? ''}
      lead={collection && <Mono>{collection.slug}</Mono>}
      above={[
        <Link key="collections" activeOptions={{ exact: true }} to="/projects/$projectId/collections" params={{ projectId }}>
          {t.collections}
        </Link>,
      ]}
      actions={() => (
        <ButtonLink to="/projects/$projectId/collections/$collectionId" params={{ projectId, collectionId }}>
          {t.entries}
        </ButtonLink>
      )}
    >
      {(project) => {
        if (query.error) return <Problem error={query.error} retry={() => void query.refetch()} />;
        if (!collection) return <Skeleton />;
        const manages = may(project, 'collection.manage');
        return (
          <>
            <Fields collection={collection} collections={query.data!.data} manages={manages} />
            {manages && <About collection={collection} />}
            {manages && <Remove collection={collection} />}
          </>
        );
      }}
    </ProjectPage>
  );
}

function useRefresh(projectId: number) {
  const client = useQueryClient();
  return () => client.invalidateQueries({ queryKey: collectionsQuery(projectId).queryKey });
}

type Open = { what: 'add' } | { what: 'change' | 'remove'; field: Field };

function Fields({ collection, collections, manages }: { collection: Collection; collections: Collection[]; manages: boolean }) {
  const t = useTexts('model').definition;
  const client = useQueryClient();
  const refresh = useRefresh(collection.projectId);
  const { ask, dialog } = useAcknowledge();
  const [open, setOpen] = useState<Open>();
  const [error, setError] = useState<ApiError>();
  const close = () => setOpen(undefined);
  const path = { projectId: collection.projectId, collectionId: collection.id };

  // Optimistic update: show the new order at once, and revert it if the API rejects it.
  const order = async (fields: Field[]) => {
    const { queryKey } = collectionsQuery(collection.projectId);
    setError(undefined);
    await client.cancelQueries({ queryKey });
    client.setQueryData(queryKey, (now: { data: Collection[] } | undefined) => now && { ...now, data: now.data.map((c) => (c.id === collection.id ? { ...c, fields } : c)) });
    try {
      await api.PATCH('/api/projects/{projectId}/collections/{collectionId}', { params: { path }, body: { order: fields.map((f) => f.name) } });
    } catch (caught) {
      setError(asApiError(caught));
    }
    await refresh();
  };
  const remove = async (name: string) => {
    await ask((acknowledge) => api.DELETE('/api/projects/{projectId}/collections/{collectionId}/fields/{name}', { params: { path: { ...path, name }, query: { acknowledge } } }));
    await refresh();
    toast(t.fieldRemoved(name));
  };
  return (
    <Section
      title={t.fields}
      lead={t.fieldsLead}
      actions={
        manages && (
          <Button kind="primary" icon={<Plus aria-hidden />} onPress={() => setOpen({ what: 'add' })}>
            {t.addField}
          </Button>
        )
      }
    >
      {error && <Problem error={error} />}
      {collection.fields.length === 0 ? (
        <Empty title={t.noFields}>
          <p>{t.noFieldsHint}</p>
        </Empty>
      ) : (
        <div className={css.fields}>
          <Sortable
            label={t.fields}
            items={collection.fields.map((field) => ({ id: field.name, field }))}
            nameOf={({ field }) => field.label}
            onOrder={manages ? (items) => void order(items.map(({ field }) => field)) : undefined}
          >
            {({ field }) => (
              <>
                <FieldText field={field} />
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
        <AddField collection={collection} collections={collections} onClose={close} onSaved={refresh} />
      </Dialog>
      <Dialog title={open?.what === 'change' ? open.field.label : ''} isOpen={open?.what === 'change'} onClose={close} size="large">
        {open?.what === 'change' && <ChangeField collection={collection} collections={collections} field={open.field} onClose={close} onSaved={refresh} />}
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
      </Deletion>
      {dialog}
    </Section>
  );
}

function FieldText({ field }: { field: Field }) {
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
          {field.collection && ` → ${field.collection}`} · <Mono>{field.name}</Mono>
        </small>
      </div>
      <span>
        {field.required && <Chip plain>{t.required}</Chip>}
        {field.unique && <Chip plain>{t.unique}</Chip>}
        {field.multiple && <Chip plain>{t.multiple}</Chip>}
        {field.hidden && (
          <Chip plain tone="wait">
            {t.hidden}
          </Chip>
        )}
      </span>
    </div>
  );
}

function About({ collection }: { collection: Collection }) {
  const t = useTexts('model').definition;
  const refresh = useRefresh(collection.projectId);
  const form = useForm({ name: collection.name, description: collection.description, singleton: collection.singleton }, async (_, changed) => {
    await api.PATCH('/api/projects/{projectId}/collections/{collectionId}', { params: { path: { projectId: collection.projectId, collectionId: collection.id } }, body: changed });
    await refresh();
    toast(t.saved);
  });
  return (
    <Section title={t.about}>
      <div className={styles.narrow}>
        <SaveForm form={form} action={t.save}>
          <TextField label={t.name} required autoComplete="off" {...form.field('name')} />
          <TextArea label={t.description} rows={2} {...form.field('description')} />
          <Switch isSelected={form.values.singleton} onChange={(on) => form.set('singleton', on)} hint={t.singletonHint}>
            {t.singleton}
          </Switch>
        </SaveForm>
      </div>
    </Section>
  );
}

function Remove({ collection }: { collection: Collection }) {
  const t = useTexts('model').definition;
  const format = useFormat();
  const navigate = useNavigate();
  const refresh = useRefresh(collection.projectId);
  const { ask, dialog } = useAcknowledge();
  const [asked, setAsked] = useState(false);
  const path = { projectId: collection.projectId, collectionId: collection.id };
  const count = $api.useQuery('get', '/api/projects/{projectId}/collections/{collectionId}/content', { params: { path, query: { limit: 1, count: true, locale: '*' } } }, { enabled: asked }).data
    ?.meta.total;
  return (
    <Section title={t.remove}>
      <Removal
        text={t.removeText}
        title={t.removeTitle(collection.name)}
        typed={count === 0 ? undefined : collection.name}
        action={t.removeThis}
        onOpen={() => setAsked(true)}
        onDelete={async () => {
          await ask((acknowledge) => api.DELETE('/api/projects/{projectId}/collections/{collectionId}', { params: { path, query: { acknowledge } } }));
          await navigate({ to: '/projects/$projectId/collections', params: { projectId: collection.projectId } });
          toast(t.removed(collection.name));
          await refresh();
        }}
      >
        {count === undefined ? undefined : <p>{t.removeCount(count, format.number(count))}</p>}
      </Removal>
      {dialog}
    </Section>
  );
}
