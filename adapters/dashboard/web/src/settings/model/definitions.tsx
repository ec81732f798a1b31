import { useQuery, useQueryClient } from '@tanstack/react-query';
import { getRouteApi, Link, useNavigate } from '@tanstack/react-router';
import { Layers, Plus } from 'lucide-react';
import { useState } from 'react';
import { api, dataOf } from '../../api/client';
import { collectionsQuery } from '../../api/queries';
import { may } from '../../api/rights';
import { useFormat } from '../../i18n/format';
import { useTexts } from '../../i18n/language';
import { Empty, Mono, Problem, Skeleton } from '../../ui/basics';
import { Button } from '../../ui/button';
import { useForm } from '../../ui/form';
import { TextArea, TextField } from '../../ui/forms';
import { Dialog } from '../../ui/overlays';
import { Switch } from '../../ui/toggles';
import { SaveForm } from '../../ui/saveform';
import { collectionSlugOf, useSuggestion } from './names';
import { ProjectPage, Row, Rows } from '../parts';

const route = getRouteApi('/app/projects/$projectId/collections');

/** The collections of a Project. */
export function DefinitionsPage() {
  const t = useTexts('model').definitions;
  const { projectId } = route.useParams();
  const [creating, setCreating] = useState(false);
  return (
    <ProjectPage
      projectId={projectId}
      title={t.title}
      lead={t.lead}
      actions={(project) =>
        may(project, 'collection.manage') && (
          <Button kind="primary" icon={<Plus aria-hidden />} onPress={() => setCreating(true)}>
            {t.create}
          </Button>
        )
      }
    >
      {(project) => (
        <>
          <List projectId={projectId} mayManage={may(project, 'collection.manage')} />
          <Dialog title={t.create} isOpen={creating} onClose={() => setCreating(false)}>
            <Create projectId={projectId} onClose={() => setCreating(false)} />
          </Dialog>
        </>
      )}
    </ProjectPage>
  );
}

function List({ projectId, mayManage }: { projectId: number; mayManage: boolean }) {
  const t = useTexts('model').definitions;
  const format = useFormat();
  const query = useQuery(collectionsQuery(projectId));
  if (query.error) return <Problem error={query.error} retry={() => void query.refetch()} />;
  if (!query.data) return <Skeleton />;
  if (query.data.data.length === 0)
    return (
      <Empty title={t.none}>
        <p>{mayManage ? t.noneHint : t.noneViewer}</p>
      </Empty>
    );
  return (
    <Rows label={t.title}>
      {query.data.data.map((collection) => (
        <Row
          key={collection.id}
          icon={<Layers aria-hidden />}
          title={
            <>
              <Link to="/projects/$projectId/collections/$collectionId/definition" params={{ projectId, collectionId: collection.id }}>
                {collection.name}
              </Link>
              <Mono>{collection.slug}</Mono>
            </>
          }
          meta={collection.description || undefined}
          aside={t.fields(collection.fields.length, format.number(collection.fields.length))}
        />
      ))}
    </Rows>
  );
}

function Create({ projectId, onClose }: { projectId: number; onClose: () => void }) {
  const t = useTexts('model').definitions;
  const client = useQueryClient();
  const navigate = useNavigate();
  const [ownSlug, setOwnSlug] = useState(false);
  const form = useForm({ name: '', slug: '', description: '', singleton: false }, async (values) => {
    const body = { ...values, slug: ownSlug ? values.slug : await suggestion.settled() };
    const created = await dataOf(api.POST('/api/projects/{projectId}/collections', { params: { path: { projectId } }, body }));
    await client.invalidateQueries({ queryKey: collectionsQuery(projectId).queryKey });
    onClose();
    await navigate({ to: '/projects/$projectId/collections/$collectionId/definition', params: { projectId, collectionId: created.id } });
  });
  const suggestion = useSuggestion(collectionSlugOf, (slug) => form.set('slug', slug));
  return (
    <SaveForm form={form} action={t.create} onCancel={onClose}>
      <TextField
        label={t.name}
        required
        autoComplete="off"
        {...form.field('name')}
        onChange={(name) => {
          form.set('name', name);
          if (!ownSlug) suggestion.suggest(name);
        }}
      />
      <TextField
        label={t.slug}
        hint={t.slugHint}
        required
        autoComplete="off"
        spellCheck={false}
        {...form.field('slug')}
        onChange={(slug) => {
          form.set('slug', slug);
          setOwnSlug(slug !== '');
        }}
      />
      <TextArea label={t.description} rows={2} {...form.field('description')} />
      <Switch isSelected={form.values.singleton} onChange={(on) => form.set('singleton', on)} hint={t.singletonHint}>
        {t.singleton}
      </Switch>
    </SaveForm>
  );
}
