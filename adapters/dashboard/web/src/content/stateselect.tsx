import type { Schemas } from '../api/client';
import { useFormat } from '../i18n/format';
import { useTexts } from '../i18n/language';
import { Select } from '../ui/forms';
import type { EntriesSearch } from './search';
import { listedStatuses } from './status';

type StateProps = { project: Schemas['Project']; search: EntriesSearch; onChange: (change: Pick<EntriesSearch, 'state' | 'status' | 'outdated'>) => void };

/** Filters the entries of the table by status, by public visibility or by what a translation lacks, or shows the trash. */
export function StateSelect({ project, search, onChange }: StateProps) {
  const t = useTexts('content').stateselect;
  const status = useTexts('common').entryStatus;
  const format = useFormat();
  const others = project.locales.filter((l) => l === search.outdated || l !== (search.locale ?? project.defaultLocale));
  const choose = (id: string) =>
    onChange({ state: states.find((s) => s === id), status: listedStatuses.find((s) => statusId(s) === id), outdated: project.locales.find((l) => outdatedId(l) === id) });
  return (
    <Select
      label={t.state}
      hideLabel
      value={search.state ?? (search.status ? statusId(search.status) : search.outdated ? outdatedId(search.outdated) : 'all')}
      onChange={choose}
      options={[
        { id: 'all', label: t.all },
        { id: 'trash', label: t.trash },
      ]}
      groups={[
        { title: t.status, options: listedStatuses.map((s) => ({ id: statusId(s), label: status[s] })) },
        {
          title: t.readers,
          options: [
            { id: 'published', label: t.public, detail: t.publicDetail },
            { id: 'draft', label: t.notPublic, detail: t.notPublicDetail },
          ],
        },
        ...(others.length > 0 ? [{ title: t.translations, options: others.map((l) => ({ id: outdatedId(l), label: t.outdated(format.locale(l)), detail: t.outdatedDetail })) }] : []),
      ]}
    />
  );
}

const states = ['published', 'draft', 'trash'] as const;

/** The option id of a status. The prefix is needed because "published" and "draft" are also states. */
const statusId = (status: string) => `status ${status}`;

const outdatedId = (locale: string) => `outdated ${locale}`;
