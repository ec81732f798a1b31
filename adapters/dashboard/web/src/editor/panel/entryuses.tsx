import { useQuery } from '@tanstack/react-query';
import type { Schemas } from '../../api/client';
import { texts, useTexts } from '../../i18n/language';
import { UseList } from '../../media/uses';
import { Problem } from '../../ui/basics';
import { useEditing } from '../context';
import { usesQuery } from '../queries';
import type { Entry } from '../store';

type Use = Schemas['ContentUse'];

/** The entries that refer to an entry, by whether readers see the reference, shown before readers lose it. */
export function EntryUses({ entry }: { entry: Entry }) {
  const t = useTexts(words);
  const { project } = useEditing();
  const { data, error, refetch } = useQuery(usesQuery({ projectId: project.id, collectionId: entry.collectionId }, entry.id));
  if (error) return <Problem error={error} retry={() => void refetch()} />;
  const uses = data?.data.filter((use) => use.entryId !== entry.id) ?? [];
  const isPublic = (use: Use) => use.published && !use.trashed;
  const published = uses.filter(isPublic);
  const drafts = uses.filter((use) => !isPublic(use));
  return (
    <>
      {published.length > 0 && (
        <>
          <p>{t.published(published.length)}</p>
          <UseList projectId={project.id} uses={published} />
        </>
      )}
      {drafts.length > 0 && (
        <>
          <p>{t.drafts(drafts.length)}</p>
          <UseList projectId={project.id} uses={drafts} />
        </>
      )}
    </>
  );
}

const words = texts({
  en: {
    published: (n: number) => (n === 1 ? 'One published entry refers to it. Readers of that entry lose the reference:' : `${n} published entries refer to it. Readers of these entries lose the reference:`),
    drafts: (n: number) => (n === 1 ? 'One entry refers to it only in a version that readers do not see:' : `${n} entries refer to it only in versions that readers do not see:`),
  },
  de: {
    published: (n: number) => (n === 1 ? 'Ein veröffentlichter Eintrag verweist darauf. Seine Leser verlieren den Verweis:' : `${n} veröffentlichte Einträge verweisen darauf. Ihre Leser verlieren den Verweis:`),
    drafts: (n: number) => (n === 1 ? 'Ein Eintrag verweist nur in einer Fassung darauf, die Leser nicht sehen:' : `${n} Einträge verweisen nur in Fassungen darauf, die Leser nicht sehen:`),
  },
});
