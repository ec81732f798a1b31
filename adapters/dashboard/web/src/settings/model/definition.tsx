import { useQuery } from '@tanstack/react-query';
import { getRouteApi, Link, useNavigate } from '@tanstack/react-router';
import { useState, type ReactNode } from 'react';
import { $api } from '../../api/client';
import { may } from '../../api/rights';
import { useFormat } from '../../i18n/format';
import { useTexts } from '../../i18n/language';
import { NotFound } from '../../shell/failed';
import { Mono, Problem, Skeleton } from '../../ui/basics';
import { ButtonLink } from '../../ui/button';
import { useForm, type FieldOf } from '../../ui/form';
import { TextArea, TextField } from '../../ui/forms';
import { SaveForm } from '../../ui/saveform';
import { toast } from '../../ui/toast';
import { Switch } from '../../ui/toggles';
import { useAcknowledge } from '../acknowledge';
import { Removal } from '../deletion';
import { ProjectPage, Section } from '../parts';
import styles from '../settings.module.css';
import { InUse } from '../uses';
import { Fields } from './fields';
import { IconField } from './iconfield';
import { PlaceLink } from './place';
import { definitionsQuery, requestsOf, useRefresh, type Definition, type Kind } from './requests';

const collectionRoute = getRouteApi('/app/projects/$projectId/collections/$collectionId/definition');
const componentRoute = getRouteApi('/app/projects/$projectId/components/$componentId');

/** The page of the definition of a collection. */
export function DefinitionPage() {
  const { projectId, collectionId } = collectionRoute.useParams();
  const t = useTexts('model').definition;
  return (
    <PageOf
      kind="collections"
      projectId={projectId}
      id={collectionId}
      actions={
        <ButtonLink to="/projects/$projectId/collections/$collectionId" params={{ projectId, collectionId }}>
          {t.entries}
        </ButtonLink>
      }
      removal={(collection) => <RemoveCollection collection={collection} />}
    />
  );
}

/** The page of a component. */
export function ComponentPage() {
  const { projectId, componentId } = componentRoute.useParams();
  return <PageOf kind="components" projectId={projectId} id={componentId} removal={(component) => <RemoveComponent component={component} />} />;
}

type PageProps = { kind: Kind; projectId: number; id: number; actions?: ReactNode; removal: (definition: Definition) => ReactNode };

function PageOf({ kind, projectId, id, actions, removal }: PageProps) {
  const lists = useTexts('model').definitions;
  const query = useQuery(definitionsQuery(kind, projectId));
  const definition = query.data?.data.find((one) => one.id === id);
  if (query.data && !definition) return <NotFound />;
  return (
    <ProjectPage
      projectId={projectId}
      title={definition?.name ?? ''}
      lead={definition && <Mono>{definition.slug}</Mono>}
      above={[
        <Link key="all" activeOptions={{ exact: true }} to={`/projects/$projectId/${kind}`} params={{ projectId }}>
          {lists[kind].title}
        </Link>,
      ]}
      actions={() => actions}
    >
      {(project) => {
        if (query.error) return <Problem error={query.error} retry={() => void query.refetch()} />;
        if (!definition) return <Skeleton />;
        const manages = may(project, 'collection.manage');
        return (
          <>
            <Fields kind={kind} definition={definition} manages={manages} />
            {manages && <About kind={kind} definition={definition} />}
            {manages && removal(definition)}
          </>
        );
      }}
    </ProjectPage>
  );
}

function About({ kind, definition }: { kind: Kind; definition: Definition }) {
  const t = useTexts('model').definition;
  const refresh = useRefresh(definition.projectId);
  const { ask, dialog } = useAcknowledge();
  const form = useForm({ name: definition.name, description: definition.description, singleton: definition.singleton, icon: definition.icon, previewUrl: kind === 'collections' ? (definition.previewUrl ?? '') : undefined }, async (_, { previewUrl, ...changed }) => {
    const preview = previewUrl !== undefined && { previewUrl: previewUrl.trim() || null };
    await ask((acknowledge) => requestsOf(kind, definition).change({ ...changed, ...preview, acknowledge }));
    await refresh();
    toast(t[kind].saved);
  });
  return (
    <Section title={t[kind].about}>
      <div className={styles.narrow}>
        <SaveForm form={form} action={t.save}>
          <TextField label={t.name} required autoComplete="off" {...form.field('name')} />
          <TextArea label={t.description} rows={2} {...form.field('description')} />
          {form.values.icon !== undefined && <IconField value={form.values.icon} onChange={(icon) => form.set('icon', icon)} />}
          {form.values.previewUrl !== undefined && (
            <TextField
              label={t.preview}
              hint={t.previewHint}
              type="url"
              inputMode="url"
              autoComplete="off"
              spellCheck={false}
              placeholder="https://www.example.com/preview/{slug}?locale={locale}"
              {...(form.field('previewUrl') as FieldOf<string>)}
            />
          )}
          {form.values.singleton !== undefined && (
            <Switch isSelected={form.values.singleton} onChange={(on) => form.set('singleton', on)} hint={t.singletonHint}>
              {t.singleton}
            </Switch>
          )}
        </SaveForm>
        {dialog}
      </div>
    </Section>
  );
}

/** Returns a function that deletes a definition and opens the list. */
function useRemove(kind: Kind, definition: Definition) {
  const t = useTexts('model').definition;
  const navigate = useNavigate();
  const refresh = useRefresh(definition.projectId);
  return async (acknowledge?: true) => {
    await requestsOf(kind, definition).remove(acknowledge);
    await navigate({ to: `/projects/$projectId/${kind}`, params: { projectId: definition.projectId } });
    toast(t.removed(definition.name));
    await refresh();
  };
}

function RemoveCollection({ collection }: { collection: Definition }) {
  const t = useTexts('model').definition;
  const format = useFormat();
  const remove = useRemove('collections', collection);
  const { ask, dialog } = useAcknowledge();
  const [asked, setAsked] = useState(false);
  const path = { projectId: collection.projectId, collectionId: collection.id };
  const count = $api.useQuery('get', '/api/projects/{projectId}/collections/{collectionId}/content', { params: { path, query: { limit: 1, count: true, locale: '*' } } }, { enabled: asked }).data
    ?.meta.total;
  return (
    <Section title={t.remove}>
      <Removal
        text={t.collections.removeText}
        title={t.removeTitle(collection.name)}
        typed={count === 0 ? undefined : collection.name}
        action={t.collections.removeThis}
        onOpen={() => setAsked(true)}
        onDelete={() => ask(remove)}
      >
        {count === undefined ? undefined : <p>{t.removeCount(count, format.number(count))}</p>}
      </Removal>
      {dialog}
    </Section>
  );
}

function RemoveComponent({ component }: { component: Definition }) {
  const t = useTexts('model').definition;
  const remove = useRemove('components', component);
  return (
    <Section title={t.remove}>
      <Removal
        text={t.components.removeText}
        title={t.removeTitle(component.name)}
        action={t.components.removeThis}
        onDelete={() => remove()}
        problem={(error) => <InUse error={error} placeOf={(location) => <PlaceLink projectId={component.projectId} location={location} />} />}
      />
    </Section>
  );
}
