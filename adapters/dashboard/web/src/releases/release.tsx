import { useQuery } from '@tanstack/react-query';
import { getRouteApi } from '@tanstack/react-router';
import { asApiError } from '../api/error';
import { useTexts } from '../i18n/language';
import { NotFound } from '../shell/failed';
import { Page } from '../shell/page';
import { Problem, Skeleton } from '../ui/basics';
import { OpenRelease } from './openrelease';
import { ReleasesLink } from './link';
import { releaseQuery } from './queries';
import { ReleaseChanges } from './changes';

const route = getRouteApi('/app/projects/$projectId/releases/$releaseId');

/** The page of a release: its definition while it is open, and its review after a submission. */
export function ReleasePage() {
  const t = useTexts('releases').list;
  const place = route.useParams();
  const search = route.useSearch();
  const query = useQuery(releaseQuery(place));
  if (query.data) {
    const { data: release } = query;
    if (release.state === 'open' && search.tab !== 'changes' && search.tab !== 'site') return <OpenRelease key={place.releaseId} place={place} release={release} search={search} />;
    return <ReleaseChanges key={place.releaseId} place={place} release={release} search={search} />;
  }
  if (query.error && asApiError(query.error).status === 404) return <NotFound />;
  return (
    <Page title={t.one} above={[<ReleasesLink key="releases" projectId={place.projectId} />]}>
      {query.error ? <Problem error={query.error} retry={() => void query.refetch()} /> : <Skeleton />}
    </Page>
  );
}
