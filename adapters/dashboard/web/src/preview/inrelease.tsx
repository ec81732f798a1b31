import { useQuery } from '@tanstack/react-query';
import type { Schemas } from '../api/client';
import type { Version } from '../compare/fields';
import { memberQuery, type Member, type Release, type ReleasePlace } from '../releases/queries';
import { Problem, Skeleton } from '../ui/basics';
import { ReviewPreview } from './inreview';

type Props = {
  place: ReleasePlace;
  release: Release;
  member: Member;
  collection: Schemas['Collection'];
  /** Whether the bar with the decision lies over the end of the page. */
  isDeciding: boolean;
  /** In place of the changes. */
  isTab: boolean;
  onClose: () => void;
};

/** The page of the website as a member of a release would make it, and as it is now. */
export function MemberPreview({ place, release, member, ...frame }: Props) {
  const { data, error, refetch } = useQuery(memberQuery(place, member.entryId, release.version));
  if (!data) return error ? <Problem error={error} retry={() => void refetch()} /> : <Skeleton />;
  const sealed = data.snapshot as Version | null;
  const published = data.published as Version | null;
  return (
    <ReviewPreview
      place={{ projectId: place.projectId, collectionId: member.collectionId, entryId: member.entryId }}
      locale={member.locale}
      sealed={sealed?.fields ?? {}}
      published={published?.fields}
      of={release.request && release.state !== 'open' ? 'snapshot' : member.from}
      {...frame}
    />
  );
}
