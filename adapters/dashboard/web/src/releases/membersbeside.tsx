import { Link, useNavigate } from '@tanstack/react-router';
import { Check } from 'lucide-react';
import { useCollections } from '../api/queries';
import { useFormat } from '../i18n/format';
import { useTexts } from '../i18n/language';
import type { ReleasePlace } from '../review/queries';
import { Skeleton } from '../ui/basics';
import { Select } from '../ui/forms';
import { countsOf, pathsOf } from './filter';
import { KindIcon, KindWord } from './kind';
import { MemberList } from './memberlist';
import type { Member } from './queries';
import styles from './releases.module.css';
import { kinds, type ReleaseSearch } from './search';

type Props = {
  place: ReleasePlace;
  members: readonly Member[];
  /** The members that the filters leave, in the order in which they are gone through. */
  list: readonly Member[];
  /** The entry of the member that is shown. */
  shown: number | undefined;
  search: ReleaseSearch;
  isLoading: boolean;
  /** Whether the user decided an earlier round. */
  decided: boolean;
};

/** The members of a release beside the changes of one: their kinds and marks, and filters. */
export function MembersBeside({ place, members, list, shown, search, isLoading, decided }: Props) {
  const t = useTexts('releases');
  const format = useFormat();
  const collections = useCollections(place.projectId);
  const counts = countsOf(members);
  const paths = pathsOf(members);
  const firstUnchanged = list.findIndex(({ unchanged }) => unchanged);
  return (
    <section className={styles.members} aria-labelledby="members">
      <h2 id="members">
        {t.review.members(counts.all, format.number(counts.all))} <small>{t.review.seen(format.number(counts.seen), format.number(counts.fresh))}</small>
      </h2>
      <nav className={styles.filters} aria-label={t.review.kinds}>
        {[undefined, ...kinds].map((kind) => (
          <Link key={kind ?? 'all'} to="." search={{ ...search, kind, member: undefined }} aria-current={search.kind === kind ? 'true' : undefined} activeOptions={{ exact: true }} resetScroll={false}>
            {kind ? t.kinds[kind] : t.review.all} <span>{format.number(counts[kind ?? 'all'])}</span>
          </Link>
        ))}
      </nav>
      {paths.length > 0 && <PathFilter paths={paths} search={search} />}
      {isLoading ? (
        <Skeleton />
      ) : (
        <MemberList label={t.review.list} members={list} shown={list.findIndex(({ entryId }) => entryId === shown)}>
          {(member, i) => (
            <Link
              className={styles.pick}
              to="."
              search={{ ...search, member: member.entryId, tab: search.tab === 'record' ? undefined : search.tab, all: undefined }}
              replace
              resetScroll={false}
              aria-current={member.entryId === shown ? 'true' : undefined}
              data-seen={member.seen || member.unchanged || undefined}
              data-first-unchanged={(decided && i === firstUnchanged) || undefined}
            >
              <KindIcon kind={member.kind} />
              <span className={styles.what}>
                <span className={styles.title}>{member.title || t.untitled(member.entryId)}</span>
                <span className={styles.meta}>
                  <KindWord kind={member.kind} />
                  <span>
                    {collections.find(({ id }) => id === member.collectionId)?.name ?? member.collection} · {member.locale}
                  </span>
                  {member.unchanged && <span>{t.review.unchanged}</span>}
                </span>
              </span>
              {member.seen ? (
                <span className={styles.mark} title={t.review.isSeen}>
                  <Check aria-hidden />
                  <span className="visually-hidden">{t.review.isSeen}</span>
                </span>
              ) : (
                !member.unchanged && (
                  <span className={styles.mark} title={t.review.isNew}>
                    <i aria-hidden />
                    <span className="visually-hidden">{t.review.isNew}</span>
                  </span>
                )
              )}
            </Link>
          )}
        </MemberList>
      )}
    </section>
  );
}

function PathFilter({ paths, search }: { paths: ReturnType<typeof pathsOf>; search: ReleaseSearch }) {
  const t = useTexts('releases').review;
  const format = useFormat();
  const navigate = useNavigate();
  return (
    <Select
      label={t.path}
      hideLabel
      value={search.path ?? ''}
      onChange={(path: string) => void navigate({ to: '.', search: { ...search, path: path || undefined, member: undefined }, resetScroll: false } as never)}
      options={[{ id: '', label: t.anyPath }, ...paths.map(({ path, count }) => ({ id: path, label: path === '@media' ? t.media : path, detail: t.members(count, format.number(count)) }))]}
    />
  );
}
