import { Link } from '@tanstack/react-router';
import type { Schemas } from '../api/client';
import { FieldChange } from '../compare/fieldchange';
import { compareFields, type Compared, type Components, type Versions } from '../compare/fields';
import { Said } from '../faults/said';
import { useFormat } from '../i18n/format';
import { useTexts } from '../i18n/language';
import { Chip, Note } from '../ui/basics';
import ui from '../ui/ui.module.css';
import styles from './review.module.css';

type ChangesProps = {
  /** Whether the version was published. */
  past?: boolean;
  changes: Compared[]; all: boolean;
  titleName?: string;
  versions: Versions;
  faults?: Schemas['DraftFault'][];
  /** The fields that assistants changed. */
  assistants?: Schemas['FieldBy'][];
};

/** The changed fields, the title first. The unchanged fields are collapsed. */
export function Changes({ past, changes, all, titleName, versions, faults = [], assistants = [] }: ChangesProps) {
  const t = useTexts('review').changes;
  const format = useFormat();
  const first = versions.before === undefined;
  const title = changes.find((c) => c.field.name === titleName);
  const rest = changes.filter((c) => c !== title);
  // A first publication has nothing to compare with; its empty fields are irrelevant.
  const faultsOf = (name: string) => faults.filter((f) => f.location.replace(/^fields\./, '').split(/[.[]/)[0] === name);
  const shown = rest.filter((c) => c.changed || faultsOf(c.field.name).length > 0 || (all && !(first && c.after === undefined)));
  const folded = rest.filter((c) => !c.changed && faultsOf(c.field.name).length === 0 && !(first && c.after === undefined)).length;
  const by = (name: string) => {
    const found = assistants.find((one) => one.field === name);
    return found && <Chip tone="wait">{t.by(found.by.name)}</Chip>;
  };
  const none = !changes.some((c) => c.changed);
  return (
    <>
      {title && (
        <div className={styles.row}>
          <FieldChange change={title} versions={versions} heading />
          {title.changed && by(title.field.name)}
          <div data-comments={title.field.name} />
        </div>
      )}
      {first && <Note>{past ? t.firstPast : t.first}</Note>}
      {none && <Note>{t.none}</Note>}
      {shown.map((c) => (
        <div key={c.field.name} className={styles.row}>
          <FieldChange change={c} versions={versions} />
          {c.changed && by(c.field.name)}
          <div data-comments={c.field.name} />
          {faultsOf(c.field.name).map((f) => (
            <Note key={f.location} tone="bad">
              <Said text={f.message} />
            </Note>
          ))}
        </div>
      ))}
      {folded > 0 && (
        <p className={styles.folded}>
          {all ? t.shown(format.number(folded), folded) : t.unchanged(format.number(folded), folded)}{' '}
          <Link className={ui.link} to="." search={(old) => ({ ...old, all: all ? undefined : true }) as never} resetScroll={false}>
            {all ? t.hide : t.show}
          </Link>
        </p>
      )}
    </>
  );
}

type PreviewProps = { fields: Schemas['Field'][]; components: Components; titleName?: string; versions: Versions };

/** The submitted content, without marked changes. */
export function Preview({ fields, components, titleName, versions }: PreviewProps) {
  const all = compareFields(fields, null, versions.after, components).filter((c) => c.after !== undefined);
  const title = all.find((c) => c.field.name === titleName);
  return (
    <div lang={versions.locale}>
      {title && <FieldChange change={title} versions={versions} heading />}
      {all
        .filter((c) => c !== title)
        .map((c) => (
          <FieldChange key={c.field.name} change={c} versions={versions} />
        ))}
    </div>
  );
}
