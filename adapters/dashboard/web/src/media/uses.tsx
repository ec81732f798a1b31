import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { Link } from '@tanstack/react-router';
import type { Schemas } from '../api/client';
import { collectionsQuery } from '../api/queries';
import { useFormat } from '../i18n/format';
import { useTexts } from '../i18n/language';
import { Chip, Problem } from '../ui/basics';
import { Button } from '../ui/button';
import { mediaUsesQuery } from './data';
import styles from './media.module.css';

/** The entries that use an item. */
export function Uses({ projectId, mediaId }: { projectId: number; mediaId: number }) {
  const t = useTexts('common').uses;
  const format = useFormat();
  const { data, error, refetch } = useQuery(mediaUsesQuery(projectId, mediaId));
  return (
    <section className={styles.uses}>
      <h3>
        {t.title}
        {data && data.data.length > 0 && ` (${format.number(data.data.length)})`}
      </h3>
      {error ? <Problem error={error} retry={() => void refetch()} /> : !data ? <p>…</p> : data.data.length === 0 ? <p>{t.none}</p> : <UseList projectId={projectId} uses={data.data} />}
    </section>
  );
}

const first = 10;

type Use = Omit<Schemas['MediaUse'] | Schemas['ContentUse'], 'sealed' | 'required'>;

/** Links to entries, with the versions that use the item. */
export function UseList({ projectId, uses }: { projectId: number; uses: readonly Use[] }) {
  const t = useTexts('common').uses;
  const format = useFormat();
  const collections = useQuery(collectionsQuery(projectId)).data?.data;
  const [all, showAll] = useState(uses.length <= first + 1);
  return (
    <ul className={styles.uses}>
      {(all ? uses : uses.slice(0, first)).map((use) => (
        <li key={use.entryId}>
          <Link to="/projects/$projectId/collections/$collectionId/entries/$entryId" params={{ projectId, collectionId: use.collectionId, entryId: use.entryId }}>
            {use.title ?? `${collections?.find((c) => c.id === use.collectionId)?.name ?? t.entry} ${use.entryId}`}
          </Link>
          <Chip plain>{use.locale}</Chip>
          {use.trashed ? <Chip tone="bad">{t.trashed}</Chip> : use.published ? <Chip tone="good">{t.published}</Chip> : use.requested ? <Chip tone="wait">{t.requested}</Chip> : <Chip>{t.draft}</Chip>}
        </li>
      ))}
      {!all && (
        <li>
          <Button onPress={() => showAll(true)}>{t.all(format.number(uses.length))}</Button>
        </li>
      )}
    </ul>
  );
}
