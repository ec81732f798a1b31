import { useQuery } from '@tanstack/react-query';
import { texts, useTexts } from '../../i18n/language';
import { UseList } from '../../media/uses';
import { Problem } from '../../ui/basics';
import { useEditing } from '../context';
import { usesQuery } from '../queries';
import type { Entry } from '../store';

/** The entries that refer to an entry, shown before readers lose it. */
export function EntryUses({ entry }: { entry: Entry }) {
  const t = useTexts(words);
  const { project } = useEditing();
  const { data, error, refetch } = useQuery(usesQuery({ projectId: project.id, collectionId: entry.collectionId }, entry.id));
  if (error) return <Problem error={error} retry={() => void refetch()} />;
  const uses = data?.data.filter((use) => use.entryId !== entry.id) ?? [];
  if (uses.length === 0) return null;
  return (
    <>
      <p>{t.uses(uses.length)}</p>
      <UseList projectId={project.id} uses={uses} />
    </>
  );
}

const words = texts({
  en: { uses: (n: number) => (n === 1 ? 'One entry refers to it. Readers of that entry lose the reference:' : `${n} entries refer to it. Readers of these entries lose the reference:`) },
  de: { uses: (n: number) => (n === 1 ? 'Ein Eintrag verweist darauf. Seine Leser verlieren den Verweis:' : `${n} Einträge verweisen darauf. Ihre Leser verlieren den Verweis:`) },
});
