import { useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import type { Schemas } from '../api/client';
import { componentsQuery } from '../api/queries';
import { bySlug, isStructured } from '../editor/items/structured';
import { compareFields } from '../compare/fields';
import { FieldChange } from '../compare/fieldchange';
import { sentence, useFormat } from '../i18n/format';
import { useTexts } from '../i18n/language';
import { Note, Problem, Skeleton } from '../ui/basics';
import ui from '../ui/ui.module.css';
import type { VersionName } from './search';
import { numberOf, type EntryPath } from './timeline';
import { changesQuery, versionQuery } from './version';
import styles from './history.module.css';

type ComparisonProps = {
  path: EntryPath;
  collection: Schemas['Collection'];
  locale: string;
  /** If undefined, the version is shown without a comparison. */
  from: VersionName | undefined;
  to: VersionName;
  newest: VersionName | undefined;
  all: boolean;
};

/** The differences between two versions of an entry, field by field, or one complete version. */
export function Comparison({ path, collection, locale, from, to, newest, all }: ComparisonProps) {
  const t = useTexts('content').comparison;
  const format = useFormat();
  const after = useQuery(versionQuery(path, to));
  const before = useQuery({ ...versionQuery(path, from ?? to), enabled: from !== undefined });
  const changes = useQuery({ ...changesQuery(path, from ?? to, to), enabled: from !== undefined });
  const structured = collection.fields.some(isStructured);
  const components = useQuery({ ...componentsQuery(path.projectId), enabled: structured });
  const error = after.error ?? before.error ?? changes.error ?? components.error;
  if (error) return <Problem error={error} retry={() => void Promise.all([after.refetch(), from && before.refetch(), from && changes.refetch(), structured && components.refetch()])} />;
  if (!after.data || (from && !(before.data && changes.data)) || (structured && !components.data)) return <Skeleton />;

  const name = (version: VersionName) => (version[0] === 'r' ? t.revision(numberOf(version), version === newest) : t.publication(numberOf(version)));
  const earlier = from ? before.data! : null;
  const fields = compareFields(collection.fields, earlier, after.data, bySlug(components.data?.data ?? []), changes.data);
  const changed = fields.filter((f) => f.changed);
  const shown = earlier ? (all ? fields : changed) : fields.filter((f) => f.after !== undefined);
  const versions = { projectId: path.projectId, locale, before: earlier ?? undefined, after: after.data, names: from && { before: name(from), after: name(to) } };
  const folded = fields.length - changed.length;
  return (
    <div className={styles.comparison}>
      <div role="status">
        <h2>{from ? t.comparing(name(from), name(to)) : sentence(name(to))}</h2>
      </div>
      {from && changed.length === 0 && <Note>{t.same}</Note>}
      <div lang={locale}>
        {shown.map((change) => (
          <FieldChange key={change.field.name} change={change} versions={versions} />
        ))}
      </div>
      {earlier && folded > 0 && (
        <p className={styles.folded}>
          {t.unchanged(format.number(folded), folded)}{' '}
          <Link className={ui.link} to="." search={(old) => ({ ...old, all: all ? undefined : true }) as never} resetScroll={false}>
            {all ? t.hide : t.show}
          </Link>
        </p>
      )}
    </div>
  );
}
