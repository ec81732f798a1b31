import { eventTypes, projectEventTypes, type EventType } from '../api/eventtypes';
import { useTexts } from '../i18n/language';
import { Button } from '../ui/button';
import { DateField } from '../ui/datefield';
import { Select } from '../ui/forms';
import styles from './audit.module.css';
import { EntryFilter } from './entryfilter';
import type { Scope } from './queries';
import type { AuditSearch } from './search';

type FiltersProps = { scope: Scope; search: AuditSearch; onChange: (change: AuditSearch) => void; actors: ReadonlyMap<string, string>; entry: string | undefined };

/** The filters of the list: kind, person, entry and day. actors are the names of the possible ones, entry is the title of the chosen one. */
export function Filters({ scope, search, onChange, actors, entry }: FiltersProps) {
  const t = useTexts('audit').filters;
  const words = useTexts('events');
  // Signing keys belong to the installation.
  const types = scope.kind === 'project' ? projectEventTypes : eventTypes.filter((type) => !type.startsWith('key.'));
  const kinds = [...new Set(types.map((type) => type.slice(0, type.indexOf('.')) as keyof typeof words.kinds))];
  const groups = kinds.map((kind) => ({ title: words.kinds[kind], options: types.filter((type) => type.startsWith(`${kind}.`)).map((id: EventType) => ({ id: id as string, label: words.types[id] })) }));
  const people = new Map(actors);
  if (search.actor && !people.has(search.actor)) people.set(search.actor, search.actor);
  return (
    <div className={styles.filters}>
      <Select label={t.type} value={search.type ?? ''} onChange={(type) => onChange({ type: (type || undefined) as EventType | undefined })} options={[{ id: '', label: t.allTypes }]} groups={groups} />
      <Select
        label={t.actor}
        value={search.actor ?? ''}
        onChange={(actor) => onChange({ actor: actor || undefined })}
        options={[{ id: '', label: t.allActors }, ...[...people].map(([id, label]) => ({ id, label }))]}
      />
      <EntryFilter scope={scope} value={search.entry} title={entry} onChange={(entry) => onChange({ entry })} />
      <DateField kind="date" label={t.day} value={search.day ?? null} onChange={(day) => onChange({ day: day ?? undefined })} />
      {Object.values(search).some((value) => value !== undefined) && (
        <Button kind="quiet" onPress={() => onChange({ type: undefined, actor: undefined, entry: undefined, day: undefined })}>
          {t.clear}
        </Button>
      )}
    </div>
  );
}
