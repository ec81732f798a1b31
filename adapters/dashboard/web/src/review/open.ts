import type { useNavigate } from '@tanstack/react-router';
import { isRelease, subjectOf, type Request } from './queries';
import type { ReviewSearch } from './search';

/** The props of a link to the review of a request: of an entry, or of a release. */
export function reviewLink(request: Request, { project, sort }: Pick<ReviewSearch, 'project' | 'sort'> = {}) {
  const subject = subjectOf(request);
  return isRelease(subject)
    ? ({ to: '/projects/$projectId/releases/$releaseId', params: subject, search: { request: request.id, project, sort } } as const)
    : ({ to: '/review/$projectId/$collectionId/$entryId', params: subject, search: { request: request.id, project, sort } } as const);
}

export const openReview = (navigate: ReturnType<typeof useNavigate>, request: Request, search: Pick<ReviewSearch, 'project' | 'sort'>) => void navigate(reviewLink(request, search));

/** The name of what a request is for; undefined if the user may not read it. */
export const titleOf = ({ kind, releaseName, title }: Request) => (kind === 'release' ? releaseName : title) ?? undefined;
