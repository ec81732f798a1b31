import { useQuery } from '@tanstack/react-query';
import { useMatch, useNavigate } from '@tanstack/react-router';
import { lazy, Suspense, useState } from 'react';
import { asApiError } from '../api/error';
import { useCollections, useProject } from '../api/queries';
import { may } from '../api/rights';
import { NotFound } from '../shell/failed';
import { Page } from '../shell/page';
import { Problem, Skeleton } from '../ui/basics';
import { EntryEditor } from './entryeditor';
import { entryQuery, trashedQuery } from './queries';
import type { Entry } from './store';

const ReadEntry = lazy(() => import('./readentry').then((m) => ({ default: m.ReadEntry })));

const freshRoute = '/app/editor/projects/$projectId/collections/$collectionId/new';
const entryRoute = '/app/editor/projects/$projectId/collections/$collectionId/entries/$entryId';

/** The page of an entry. For a new entry, the page stays the same after the first save. */
export function EditorPage() {
  const fresh = useMatch({ from: freshRoute, shouldThrow: false });
  const one = useMatch({ from: entryRoute, shouldThrow: false });
  const [created, setCreated] = useState<{ id: number; key: string }>();
  const navigate = useNavigate();
  const { projectId, collectionId } = (one ?? fresh)!.params;
  const entryId = one?.params.entryId;
  const project = useProject(projectId);
  const collections = useCollections(projectId);
  const collection = collections.find((c) => c.id === collectionId);
  const place = { projectId, collectionId };
  const isCreated = created !== undefined && created.id === entryId;
  const query = useQuery({ ...entryQuery(place, entryId ?? 0), enabled: entryId !== undefined });

  const gone = !query.data && query.error !== null && asApiError(query.error).status === 404;
  const trashed = useQuery({ ...trashedQuery(place, entryId ?? 0), enabled: gone });

  if (!project || !collection) return <NotFound />;
  // A translation is edited beside the text in the default locale.
  const besideOf = (locale: string) => project.locales.find((one) => one === project.defaultLocale && one !== locale) ?? project.locales.find((one) => one !== locale);
  const shared = { project, collection, collections };
  if (entryId === undefined) {
    if (!may(project, 'content.write')) return <NotFound />;
    const { locale = project.defaultLocale, of } = fresh!.search;
    const key = `new ${collectionId} ${locale} ${of ?? ''}`;
    return (
      <EntryEditor
        key={key}
        {...shared}
        locale={project.locales.includes(locale) ? locale : project.defaultLocale}
        translationOf={of}
        beside={of === undefined ? undefined : besideOf(locale)}
        onCreated={({ id }: Entry) => {
          setCreated({ id, key });
          void navigate({ to: '/projects/$projectId/collections/$collectionId/entries/$entryId', params: { ...place, entryId: id }, search: of ? { beside: besideOf(locale) } : {}, replace: true, resetScroll: false, ignoreBlocker: true });
        }}
      />
    );
  }
  if (gone && trashed.error) return <NotFound />;
  if (gone && trashed.data) {
    return (
      <Suspense fallback={<Page title={collection.name}><Skeleton /></Page>}>
        <ReadEntry key={`trashed ${entryId}`} {...shared} entry={trashed.data} />
      </Suspense>
    );
  }
  if (!query.data) return <Page title={collection.name}>{query.error && !gone ? <Problem error={query.error} retry={() => void query.refetch()} /> : <Skeleton />}</Page>;
  const key = isCreated ? created.key : `entry ${entryId}`;
  if (!may(project, 'content.write')) {
    return (
      <Suspense fallback={<Page title={collection.name}><Skeleton /></Page>}>
        <ReadEntry key={key} {...shared} entry={query.data} />
      </Suspense>
    );
  }
  return <EntryEditor key={key} {...shared} locale={query.data.locale} entry={query.data} beside={one?.search.beside} />;
}
