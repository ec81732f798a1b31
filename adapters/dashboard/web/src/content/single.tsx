import { useQuery } from '@tanstack/react-query';
import { Navigate } from '@tanstack/react-router';
import type { Schemas } from '../api/client';
import { may } from '../api/rights';
import { useTexts } from '../i18n/language';
import { Page, PageHead } from '../shell/page';
import { Empty, Problem, Skeleton } from '../ui/basics';
import { ButtonLink } from '../ui/button';
import { fetchEntries, listsKey } from './rows';

/** More than the locales that a project can have. */
const allLocales = 100;

/** Opens the entry of a collection that holds a single one, or the form for it. */
export function Single({ project, collection }: { project: Schemas['Project']; collection: Schemas['Collection'] }) {
  const query = useQuery({
    queryKey: [...listsKey(collection), 'single'],
    queryFn: async ({ signal }) => {
      const [entries, trash] = await Promise.all([
        fetchEntries(project, collection, { locale: '*' }, { offset: 0, limit: allLocales }, signal),
        fetchEntries(project, collection, { state: 'trash' }, { offset: 0, limit: 1 }, signal),
      ]);
      return { entry: entries.data.find((e) => e.locale === project.defaultLocale) ?? entries.data[0], inTrash: trash.data.length > 0 };
    },
    gcTime: 0, // never open an entry that was moved to the trash meanwhile
  });
  if (query.error) return <Problem error={query.error} retry={() => void query.refetch()} />;
  if (!query.data) return <Skeleton />;
  const path = { projectId: project.id, collectionId: collection.id };
  const { entry, inTrash } = query.data;
  if (entry) return <Navigate replace to="/projects/$projectId/collections/$collectionId/entries/$entryId" params={{ ...path, entryId: entry.id }} />;
  if (may(project, 'content.write') && !inTrash) return <Navigate replace to="/projects/$projectId/collections/$collectionId/new" params={path} />;
  return <None project={project} collection={collection} inTrash={inTrash} />;
}

/** The page of a collection whose entry does not exist, or is in the trash. */
function None({ project, collection, inTrash }: { project: Schemas['Project']; collection: Schemas['Collection']; inTrash: boolean }) {
  const { table: t, stateselect: states } = useTexts('content');
  const path = { projectId: project.id, collectionId: collection.id };
  return (
    <Page title={collection.name}>
      <PageHead title={collection.name} />
      <Empty title={t.none(collection.name)}>
        <p>{t.noneYet}</p>
        {may(project, 'content.write') && (
          <ButtonLink kind="primary" to="/projects/$projectId/collections/$collectionId/new" params={path}>
            {t.create}
          </ButtonLink>
        )}
        {inTrash && (
          <ButtonLink to="/projects/$projectId/collections/$collectionId" params={path} search={{ state: 'trash' }}>
            {states.trash}
          </ButtonLink>
        )}
      </Empty>
    </Page>
  );
}
