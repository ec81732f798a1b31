import { useQuery } from '@tanstack/react-query';
import { Navigate } from '@tanstack/react-router';
import type { Schemas } from '../api/client';
import { may } from '../api/rights';
import { useTexts } from '../i18n/language';
import { Page, PageHead } from '../shell/page';
import { Empty, Problem, Skeleton } from '../ui/basics';
import { fetchEntries, listsKey } from './rows';

/** More than the locales that a project can have. */
const allLocales = 100;

/** Opens the entry of a collection that holds a single one, or the form for it. */
export function Single({ project, collection }: { project: Schemas['Project']; collection: Schemas['Collection'] }) {
  const t = useTexts('content').table;
  const query = useQuery({
    queryKey: [...listsKey(collection), 'single'],
    queryFn: ({ signal }) => fetchEntries(project, collection, { locale: '*' }, { offset: 0, limit: allLocales }, signal),
    gcTime: 0, // never open an entry that was moved to the trash meanwhile
  });
  if (query.error) return <Problem error={query.error} retry={() => void query.refetch()} />;
  if (!query.data) return <Skeleton />;
  const path = { projectId: project.id, collectionId: collection.id };
  const entry = query.data.data.find((e) => e.locale === project.defaultLocale) ?? query.data.data[0];
  if (entry) return <Navigate replace to="/projects/$projectId/collections/$collectionId/entries/$entryId" params={{ ...path, entryId: entry.id }} />;
  if (may(project, 'content.write')) return <Navigate replace to="/projects/$projectId/collections/$collectionId/new" params={path} />;
  return (
    <Page title={collection.name}>
      <PageHead title={collection.name} />
      <Empty title={t.none(collection.name)}>
        <p>{t.noneYet}</p>
      </Empty>
    </Page>
  );
}
