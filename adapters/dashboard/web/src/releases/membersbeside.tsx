import { Link, useNavigate } from '@tanstack/react-router';
import { Check } from 'lucide-react';
import { useMemo } from 'react';
import { useCollections } from '../api/queries';
import { useFormat } from '../i18n/format';
import { useTexts } from '../i18n/language';
import type { ReleasePlace } from '../review/queries';
import { Skeleton } from '../ui/basics';
import { Select } from '../ui/forms';
import { countedOf, countsOf, type Counted } from './filter';
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
  /** Whether the release was published: nothing waits to be seen. */
  past: boolean;
  /** Whether the user decided an earlier round. */
  decided: boolean;
};

/** The members of a release beside the changes of one: their kinds and marks, and filters. */
export function MembersBeside({ place, members, list, shown, search, isLoading, past, decided }: Props) {
  const t = useTexts('releases');
  const format = useFormat();
  const collections = useCollections(place.projectId);
  const counts = useMemo(() => countsOf(members), [members]);
  const paths = useMemo(() => countedOf(members, 'changed'), [members]);
  const locales = useMemo(() => countedOf(members, 'locale'), [members]);
  const slugs = useMemo(() => countedOf(members, 'collection'), [members]);
  const nameOf = (slug: string) => collections.find((one) => one.slug === slug)?.name ?? slug;
  const firstUnchanged = list.findIndex(({ unchanged }) => unchanged);
  return (
    <section className={styles.members} aria-labelledby="members">
      <h2 id="members">
        {t.review.members(counts.all, format.number(counts.all))} {!past && <small>{t.review.seen(format.number(counts.seen), format.number(counts.fresh))}</small>}
      </h2>
      <nav className={styles.filters} aria-label={t.review.kinds}>
        {[undefined, ...kinds].map((kind) => (
          <Link key={kind ?? 'all'} to="." search={{ ...search, kind, member: undefined }} aria-current={search.kind === kind ? 'true' : undefined} activeOptions={{ exact: true }} resetScroll={false}>
            {kind ? t.kinds[kind] : t.review.all} <span>{format.number(counts[kind ?? 'all'])}</span>
          </Link>
        ))}
      </nav>
      {paths.length > 0 && <Filter by="path" label={t.review.path} any={t.review.anyPath} found={paths} nameOf={(path) => (path === '@media' ? t.review.media : path)} search={search} />}
      {(locales.length > 1 || slugs.length > 1) && (
        <div className={styles.pair}>
          {locales.length > 1 && <Filter by="locale" label={t.review.language} any={t.review.anyLanguage} found={locales} nameOf={format.locale} search={search} />}
          {slugs.length > 1 && <Filter by="collection" label={t.review.collection} any={t.review.anyCollection} found={slugs} nameOf={nameOf} search={search} />}
        </div>
      )}
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
              data-seen={past || member.seen || member.unchanged || undefined}
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
              {past ? null : member.seen ? (
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

type FilterProps = { by: 'path' | 'locale' | 'collection'; label: string; any: string; found: Counted[]; nameOf: (value: string) => string; search: ReleaseSearch };

/** A filter of the members, with the number of members of each choice. */
function Filter({ by, label, any, found, nameOf, search }: FilterProps) {
  const t = useTexts('releases').review;
  const format = useFormat();
  const navigate = useNavigate();
  return (
    <Select
      label={label}
      hideLabel
      value={search[by] ?? ''}
      onChange={(value: string) => void navigate({ to: '.', search: { ...search, [by]: value || undefined, member: undefined }, resetScroll: false } as never)}
      options={[{ id: '', label: any }, ...found.map(({ value, count }) => ({ id: value, label: nameOf(value), detail: t.members(count, format.number(count)) }))]}
    />
  );
}
