import { useQuery } from '@tanstack/react-query';
import type { Schemas } from '../../api/client';
import { useTexts } from '../../i18n/language';
import { UseList } from '../../media/uses';
import { Problem } from '../../ui/basics';
import { useEditing } from '../context';
import { usesQuery } from '../queries';
import type { Entry } from '../store';

type Use = Schemas['ContentUse'];

/** The entries that refer to an entry, by whether readers see the reference, shown before readers lose it. */
export function EntryUses({ entry }: { entry: Entry }) {
  const t = useTexts('editor').entryuses;
  const { project } = useEditing();
  const { data, error, refetch } = useQuery(usesQuery({ projectId: project.id, collectionId: entry.collectionId }, entry.id));
  if (error) return <Problem error={error} retry={() => void refetch()} />;
  const uses = data?.data.filter((use) => use.entryId !== entry.id) ?? [];
  const isPublic = (use: Use) => use.published && !use.trashed;
  const requiring = uses.filter((use) => isPublic(use) && use.required);
  const published = uses.filter((use) => isPublic(use) && !use.required);
  const drafts = uses.filter((use) => !isPublic(use));
  return (
    <>
      {requiring.length > 0 && (
        <>
          <p>
            <strong>{t.requiring(requiring.length)}</strong>
          </p>
          <UseList projectId={project.id} uses={requiring} />
        </>
      )}
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
