import { useTexts } from '../i18n/language';
import { Select } from '../ui/forms';
import type { EntriesSearch } from './search';
import { listedStatuses } from './status';

type StateProps = { search: EntriesSearch; onChange: (change: Pick<EntriesSearch, 'state' | 'status'>) => void };

/** Filters the entries of the table by status or by public visibility, or shows the trash. */
export function StateSelect({ search, onChange }: StateProps) {
  const t = useTexts('content').stateselect;
  const status = useTexts('common').entryStatus;
  const choose = (id: string) =>
    onChange({ state: states.find((s) => s === id), status: listedStatuses.find((s) => statusId(s) === id) });
  return (
    <Select
      label={t.state}
      hideLabel
      value={search.state ?? (search.status ? statusId(search.status) : 'all')}
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
      ]}
    />
  );
}

const states = ['published', 'draft', 'trash'] as const;

/** The option id of a status. The prefix is needed because "published" and "draft" are also states. */
const statusId = (status: string) => `status ${status}`;
