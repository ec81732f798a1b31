import { keepPreviousData, useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { useProjects } from '../api/queries';
import { useFormat } from '../i18n/format';
import { useTexts } from '../i18n/language';
import { searchQuery } from '../shell/searchfind';
import { ComboBox } from '../ui/combobox';
import type { Scope } from './queries';

type Props = { scope: Scope; value: number | undefined; title: string | undefined; onChange: (id: number | undefined) => void };

const all = 'all';

/** A choice of one entry, which a search finds. */
export function EntryFilter({ scope, value, title, onChange }: Props) {
  const t = useTexts('audit').filters;
  const format = useFormat();
  const projects = useProjects();
  const [typed, type] = useState('');
  const { data } = useQuery({ ...searchQuery(typed.trim()), placeholderData: keepPreviousData });
  const inScope = (projectId: number) => (scope.kind === 'project' ? projectId === scope.id : projects.some((one) => one.id === projectId && one.tenantId === scope.id));
  const found = (data?.entries ?? []).filter((entry) => inScope(entry.projectId) && entry.id !== value);
  const options = [
    { id: all, label: t.allEntries },
    ...(value ? [{ id: String(value), label: title ?? t.chosenEntry }] : []),
    ...found.map((entry) => ({ id: String(entry.id), label: entry.title, detail: `${entry.collectionName}, ${format.locale(entry.locale)}` })),
  ];
  return (
    <ComboBox
      key={value ?? all}
      label={t.entry}
      value={value ? String(value) : all}
      onChange={(id) => onChange(id === all ? undefined : Number(id))}
      onType={type}
      options={options}
      matches={() => true}
      nothing={t.noEntry}
    />
  );
}
