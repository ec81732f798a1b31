import { useInfiniteQuery, useMutation, useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { api, dataOf } from '../api/client';
import { componentsQuery, useCollections } from '../api/queries';
import { FieldChange } from '../compare/fieldchange';
import { compareFields } from '../compare/fields';
import { historyKey, type EntryPath } from '../content/timeline';
import { changesQuery, versionQuery } from '../content/version';
import { bySlug, isStructured } from '../editor/items/structured';
import { useFormat } from '../i18n/format';
import { useTexts } from '../i18n/language';
import { actorName } from '../ui/actor';
import { Note, Problem, Skeleton } from '../ui/basics';
import { Button } from '../ui/button';
import { Select } from '../ui/forms';
import { Dialog } from '../ui/overlays';
import { putMembers, releaseChanged, type Member, type ReleasePlace } from './queries';
import styles from './releases.module.css';

const perPage = 100; // the maximum of the API

type Props = { place: ReleasePlace; member: Member; title: string; onClose: () => void };

/** The publications of an entry, the newest first. */
const publicationsOf = (path: EntryPath) => ({
  queryKey: [...historyKey(path), 'publications', 'all'],
  queryFn: ({ pageParam, signal }: { pageParam: number; signal: AbortSignal }) =>
    dataOf(api.GET('/api/projects/{projectId}/collections/{collectionId}/content/{contentId}/publications', { params: { path, query: { page: pageParam, perPage } }, signal })),
  initialPageParam: 1,
  getNextPageParam: ({ meta }: { meta: { hasMore: boolean } }, all: unknown[]) => (meta.hasMore ? all.length + 1 : undefined),
});

/** Chooses an earlier publication of a member, which the release publishes again, and shows what changes for readers then. */
export function PastPublication({ place, member, title, onClose }: Props) {
  const t = useTexts('releases').past;
  const format = useFormat();
  const path: EntryPath = { projectId: place.projectId, collectionId: member.collectionId, contentId: member.entryId };
  const found = useInfiniteQuery(publicationsOf(path));
  const publications = found.data?.pages.flatMap(({ data }) => data) ?? [];
  const current = publications.find(({ unpublishedAt }) => unpublishedAt === null)?.number;
  const [chosen, choose] = useState(member.from === 'draft' ? undefined : member.from.publication);
  const number = chosen ?? publications.find((one) => one.number !== current)?.number ?? current;
  const put = useMutation({
    mutationFn: (publication: number) => putMembers(place, [{ entryId: member.entryId, action: 'publish', from: { publication } }]),
    onSuccess: async () => {
      onClose();
      await releaseChanged(place);
    },
  });
  return (
    <Dialog title={t.title(title)} isOpen onClose={onClose} size="large" dismissable={!put.isPending}>
      {found.error ? (
        <Problem error={found.error} retry={() => void found.refetch()} />
      ) : found.isPending ? (
        <Skeleton />
      ) : number === undefined ? (
        <Note>{t.never}</Note>
      ) : (
        <div className={styles.form}>
          <Select
            label={t.publication}
            value={number}
            onChange={choose}
            options={publications.map((one) => ({ id: one.number, label: t.of(one.number, format.dateTime(one.publishedAt)), detail: one.number === current ? t.now : t.by(actorName(one.by)) }))}
          />
          {found.hasNextPage && (
            <Button kind="quiet" isPending={found.isFetchingNextPage} onPress={() => void found.fetchNextPage()}>
              {t.older}
            </Button>
          )}
          <Outgoing key={number} path={path} locale={member.locale} number={number} current={current} />
        </div>
      )}
      {put.error && <Problem error={put.error} />}
      <footer>
        <Button onPress={onClose}>{t.cancel}</Button>
        <Button kind="primary" isDisabled={number === undefined} isPending={put.isPending} onPress={() => number !== undefined && put.mutate(number)}>
          {number === undefined ? t.take : t.takeThis(number)}
        </Button>
      </footer>
    </Dialog>
  );
}

/** What a publication changes for readers of the current one. */
function Outgoing({ path, locale, number, current }: { path: EntryPath; locale: string; number: number; current: number | undefined }) {
  const t = useTexts('releases').past;
  const format = useFormat();
  const collection = useCollections(path.projectId).find(({ id }) => id === path.collectionId);
  const after = useQuery(versionQuery(path, `p${number}`));
  const before = useQuery({ ...versionQuery(path, `p${current ?? number}`), enabled: current !== undefined });
  const changes = useQuery({ ...changesQuery(path, `p${current ?? number}`, `p${number}`), enabled: current !== undefined });
  const structured = collection?.fields.some(isStructured) ?? false;
  const components = useQuery({ ...componentsQuery(path.projectId), enabled: structured });
  const error = after.error ?? before.error ?? changes.error ?? components.error;
  if (error) return <Problem error={error} retry={() => void Promise.all([after.refetch(), current !== undefined && before.refetch(), current !== undefined && changes.refetch(), structured && components.refetch()])} />;
  if (!collection || !after.data || (current !== undefined && !(before.data && changes.data)) || (structured && !components.data)) return <Skeleton />;

  const earlier = before.data ?? null;
  const removed = Object.keys(after.data.fields).filter((name) => !collection.fields.some((field) => field.name === name));
  const fields = compareFields(collection.fields, earlier, after.data, bySlug(components.data?.data ?? []), changes.data).filter((one) => !removed.includes(one.field.name));
  const shown = fields.filter((one) => (earlier ? one.changed : one.after !== undefined));
  const versions = { projectId: path.projectId, locale, before: earlier ?? undefined, after: after.data, names: { before: t.names.published, after: t.names.again(number) } };
  return (
    <section aria-labelledby="outgoing">
      <h3 id="outgoing" className={styles.outgoing}>{earlier ? t.changes : t.all}</h3>
      {removed.length > 0 && <Note tone="wait">{t.dropped(format.list(removed))}</Note>}
      {shown.length === 0 && <Note>{t.same}</Note>}
      <div lang={locale}>
        {shown.map((change) => (
          <FieldChange key={change.field.name} change={change} versions={versions} inner />
        ))}
      </div>
    </section>
  );
}
