import { $api, type Schemas } from '../api/client';
import { useSession } from '../api/queries';
import { useTexts } from '../i18n/language';
import { Select } from '../ui/forms';

/** Filters the entries of the table by who made the latest change: the user, or a member of the Project. */
export function EditorSelect({ project, by, onChange }: { project: Schemas['Project']; by: number | undefined; onChange: (by: number | undefined) => void }) {
  const t = useTexts('content').editorselect;
  const session = useSession();
  const members = $api.useQuery('get', '/api/projects/{projectId}/members', { params: { path: { projectId: project.id } } }, { staleTime: 60_000 }).data?.data ?? [];
  const others = members.filter((m) => m.userId !== session.id).map((m) => ({ id: String(m.userId), label: m.name }));
  const known = by === undefined || by === session.id || others.some((o) => o.id === String(by));
  return (
    <Select
      label={t.editor}
      hideLabel
      value={String(by ?? 'all')}
      onChange={(id: string) => onChange(id === 'all' ? undefined : Number(id))}
      options={[{ id: 'all', label: t.all }, { id: String(session.id), label: t.me }, ...(known ? [] : [{ id: String(by), label: `#${by}` }])]}
      groups={others.length > 0 ? [{ title: t.members, options: others }] : []}
    />
  );
}
