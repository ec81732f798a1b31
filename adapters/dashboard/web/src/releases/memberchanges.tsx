import { useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { SquarePen } from 'lucide-react';
import { lazy, Suspense, useMemo, useRef } from 'react';
import { titleField } from '../api/fields';
import { useProject } from '../api/queries';
import { may } from '../api/rights';
import { compareFields, type Version } from '../compare/fields';
import { Withheld } from '../compare/withheld';
import { bySlug } from '../editor/items/structured';
import { useFormat } from '../i18n/format';
import { useTexts } from '../i18n/language';
import { Changes, Preview } from '../review/changes';
import { Note, Problem, Skeleton } from '../ui/basics';
import { KindWord } from './kind';
import { memberQuery, type Member, type ReleasePlace } from './queries';
import styles from './releases.module.css';
import { withTexts } from '../texts/load';

const Comments = lazy(() => withTexts(import('../comments/comments'), 'comments').then((m) => ({ default: m.Comments })));

type Props = { place: ReleasePlace; version: number; member: Member; /** Whether the release was published. */ past: boolean; all: boolean; /** The entry of the member that comes next; its changes are loaded after those of this one. */ next?: number; /** Whether the release has or had a request. */ discussed: boolean; /** Goes on to the comments on other members. */ beyond: (step: 1 | -1) => void };

/** What one member of a release changes for readers. */
export function MemberChanges({ place, version, member, past, all, next, discussed, beyond }: Props) {
  const t = useTexts('releases');
  const names = useTexts('review').review.names;
  const format = useFormat();
  const project = useProject(place.projectId);
  const query = useQuery(memberQuery(place, member.entryId, version));
  const { data } = query;
  useQuery({ ...memberQuery(place, next ?? member.entryId, version), enabled: next !== undefined && data !== undefined, notifyOnChangeProps: [] });
  const components = useMemo(() => bySlug(data?.components ?? []), [data?.components]);
  const before = (data?.published ?? null) as Version | null;
  const after = useMemo(() => versionOf(data?.snapshot), [data?.snapshot]);
  const changes = useMemo(() => data && after && compareFields(data.fields, before, after, components, data.changes), [data, before, after, components]);
  const title = data && titleField(data.fields)?.name;
  const shared = { projectId: place.projectId, locale: member.locale, library: data?.library };
  const root = useRef<HTMLDivElement>(null);
  return (
    <div ref={root}>
      <p className={styles.about}>
        <KindWord kind={member.kind} /> <span>{format.locale(member.locale)}</span>
        {member.from !== 'draft' && <span>{t.open.again(member.from.publication)}</span>}
        {(member.dropped?.length ?? 0) > 0 && <span>{t.open.without(format.list(member.dropped!))}</span>}
        {may(project, 'content.read') && !member.gone && (
          <Link to="/projects/$projectId/collections/$collectionId/entries/$entryId" params={{ projectId: place.projectId, collectionId: member.collectionId, entryId: member.entryId }}>
            <SquarePen aria-hidden />
            {t.review.entry}
          </Link>
        )}
      </p>
      {member.gone && <Note tone="wait">{t.open.gone}</Note>}
      {member.contentChanged && <Note tone="wait">{past ? t.review.changedAfter : t.review.changed}</Note>}
      {!data ? (
        query.error ? <Problem error={query.error} retry={() => void query.refetch()} /> : <Skeleton />
      ) : member.kind === 'unpublish' ? (
        <>
          <Note tone="bad">{past ? t.review.ended : t.review.ends}</Note>
          {before && <Preview fields={data.fields} components={components} titleName={title} versions={{ ...shared, after: before }} />}
        </>
      ) : (
        changes &&
        after && (
          <>
            <Withheld parts={data.withheld} />
            <Changes past={past} changes={changes} all={all} titleName={title} faults={data.faults ?? undefined} assistants={data.assistants} versions={{ ...shared, before: before ?? undefined, after, names: { before: names.published, after: names.submitted } }} />
          </>
        )
      )}
      {data && discussed && (
        <Suspense>
          <Comments subject={place} entryId={member.entryId} fields={member.kind === 'unpublish' ? [] : data.fields} root={root} selects beyond={beyond} />
        </Suspense>
      )}
    </div>
  );
}

/** The content of a snapshot; undefined for a member that ends. */
function versionOf(snapshot: unknown): Version | undefined {
  const { fields, media = {} } = (snapshot ?? {}) as Partial<Version>;
  return fields && { fields, media };
}
