import { Link } from '@tanstack/react-router';
import type { HTMLAttributes } from 'react';
import type { Schemas } from '../api/client';

type Props = HTMLAttributes<HTMLAnchorElement> & {
  schedule: Schemas['Schedule'];
  /** Whether the link leads to the review of an entry, if there is one. */
  review?: boolean;
};

/** A link to the entry or the release that is scheduled. */
export function ScheduledLink({ schedule: { projectId, releaseId, collectionId, entryId, requestId }, review = false, ...rest }: Props) {
  if (collectionId === null || entryId === null) return <Link to="/projects/$projectId/releases/$releaseId" params={{ projectId, releaseId: releaseId! }} {...rest} />;
  const params = { projectId, collectionId, entryId };
  return review && requestId !== null ? (
    <Link to="/review/$projectId/$collectionId/$entryId" params={params} {...rest} />
  ) : (
    <Link to="/projects/$projectId/collections/$collectionId/entries/$entryId" params={params} {...rest} />
  );
}
