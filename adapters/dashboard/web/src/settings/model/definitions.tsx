import { useQuery } from '@tanstack/react-query';
import { getRouteApi, Link, useNavigate } from '@tanstack/react-router';
import { Blocks, FileCode, Plus } from 'lucide-react';
import { useState } from 'react';
import { may } from '../../api/rights';
import { useFormat } from '../../i18n/format';
import { useTexts } from '../../i18n/language';
import { CollectionIcon } from '../../shell/collectionicon';
import type { Icon } from '../../shell/icons';
import { Empty, Mono, Problem, Skeleton } from '../../ui/basics';
import { Button, ButtonLink } from '../../ui/button';
import { useForm } from '../../ui/form';
import { TextArea } from '../../ui/forms';
import { Dialog } from '../../ui/overlays';
import { Switch } from '../../ui/toggles';
import { SaveForm } from '../../ui/saveform';
import { IconField } from './iconfield';
import { NameAndSlug } from './nameandslug';
import { collectionSlugOf, useSuggestion } from './names';
import { ProjectPage, Row, Rows } from '../parts';
import { create, definitionsQuery, useRefresh, type Definition, type Kind } from './requests';

const collectionsRoute = getRouteApi('/app/projects/$projectId/collections');
const componentsRoute = getRouteApi('/app/projects/$projectId/components');

/** The collections of a Project. */
export function DefinitionsPage() {
  return <ListPage kind="collections" projectId={collectionsRoute.useParams().projectId} />;
}

/** The components of a Project. */
export function ComponentsPage() {
  return <ListPage kind="components" projectId={componentsRoute.useParams().projectId} />;
}

/** The link to the page of a definition. */
const linkTo = (kind: Kind, { projectId, id }: Pick<Definition, 'projectId' | 'id'>) =>
  kind === 'components'
    ? ({ to: '/projects/$projectId/components/$componentId', params: { projectId, componentId: id } } as const)
    : ({ to: '/projects/$projectId/collections/$collectionId/definition', params: { projectId, collectionId: id } } as const);

type Props = { kind: Kind; projectId: number };

function ListPage({ kind, projectId }: Props) {
  const lists = useTexts('model').definitions;
  const t = lists[kind];
  const [creating, setCreating] = useState(false);
  return (
    <ProjectPage
      projectId={projectId}
      title={t.title}
      lead={t.lead}
      actions={(project) => (
        <>
          <ButtonLink icon={<FileCode aria-hidden />} to="/projects/$projectId/schema" params={{ projectId }}>
            {lists.asFile}
          </ButtonLink>
          {may(project, 'collection.manage') && (
            <Button kind="primary" icon={<Plus aria-hidden />} onPress={() => setCreating(true)}>
              {t.create}
            </Button>
          )}
        </>
      )}
    >
      {(project) => (
        <>
          <List kind={kind} projectId={projectId} mayManage={may(project, 'collection.manage')} />
          <Dialog title={t.create} isOpen={creating} onClose={() => setCreating(false)}>
            <Create kind={kind} projectId={projectId} onClose={() => setCreating(false)} />
          </Dialog>
        </>
      )}
    </ProjectPage>
  );
}

function List({ kind, projectId, mayManage }: Props & { mayManage: boolean }) {
  const { noneViewer, fields, ...lists } = useTexts('model').definitions;
  const t = lists[kind];
  const format = useFormat();
  const query = useQuery(definitionsQuery(kind, projectId));
  if (query.error) return <Problem error={query.error} retry={() => void query.refetch()} />;
  if (!query.data) return <Skeleton />;
  if (query.data.data.length === 0)
    return (
      <Empty title={t.none}>
        <p>{mayManage ? t.noneHint : noneViewer}</p>
      </Empty>
    );
  return (
    <Rows label={t.title}>
      {query.data.data.map((definition: Definition) => (
        <Row
          key={definition.id}
          icon={definition.icon ? <CollectionIcon icon={definition.icon} /> : <Blocks aria-hidden />}
          title={
            <>
              <Link {...linkTo(kind, definition)}>{definition.name}</Link>
              <Mono>{definition.slug}</Mono>
            </>
          }
          meta={definition.description || undefined}
          aside={fields(definition.fields.length, format.number(definition.fields.length))}
        />
      ))}
    </Rows>
  );
}

function Create({ kind, projectId, onClose }: Props & { onClose: () => void }) {
  const t = useTexts('model').definitions;
  const refresh = useRefresh(projectId);
  const navigate = useNavigate();
  const [ownSlug, setOwnSlug] = useState(false);
  const form = useForm({ name: '', slug: '', description: '', singleton: kind === 'collections' ? false : undefined, icon: kind === 'collections' ? ('article' as Icon) : undefined }, async (values) => {
    const body = { ...values, slug: ownSlug ? values.slug : await suggestion.settled() };
    const created = await create(kind, projectId, body);
    await refresh();
    onClose();
    await navigate(linkTo(kind, created));
  });
  const suggestion = useSuggestion(collectionSlugOf, (slug) => form.set('slug', slug));
  return (
    <SaveForm form={form} action={t[kind].create} onCancel={onClose}>
      <NameAndSlug form={form} slugHint={t[kind].slugHint} suggest={ownSlug ? undefined : suggestion.suggest} onOwnSlug={setOwnSlug} />
      <TextArea label={t.description} rows={2} {...form.field('description')} />
      {form.values.icon !== undefined && <IconField value={form.values.icon} onChange={(icon) => form.set('icon', icon)} />}
      {form.values.singleton !== undefined && (
        <Switch isSelected={form.values.singleton} onChange={(on) => form.set('singleton', on)} hint={t.singletonHint}>
          {t.singleton}
        </Switch>
      )}
    </SaveForm>
  );
}
