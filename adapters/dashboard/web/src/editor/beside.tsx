import { keepPreviousData, useQuery } from '@tanstack/react-query';
import { useFormat } from '../i18n/format';
import { useTexts } from '../i18n/language';
import styles from './beside.module.css';
import { useEditing } from './context';
import { FieldControl, Fields } from './fields';
import { translationsQuery } from './queries';
import { ReadValue } from './readvalue';

/** Each field with its value in another locale beside it; only the fields if that translation is missing. */
export function Beside({ locale, entryId }: { locale: string; entryId: number }) {
  const t = useTexts('editor').beside;
  const format = useFormat();
  const { project, collection, locale: own } = useEditing();
  const translations = useQuery({ ...translationsQuery({ projectId: project.id, collectionId: collection.id }, entryId), placeholderData: keepPreviousData });
  const others = translations.data?.data.filter((e) => e.locale !== own);
  const source = others?.find((e) => e.locale === locale) ?? others?.[0];
  if (others && !source) {
    return (
      <>
        <p className={styles.hint}>{t.missing(format.locale(locale))}</p>
        <Fields />
      </>
    );
  }
  const shown = source?.locale ?? locale;
  return (
    <div className={styles.beside}>
      <div className={styles.heads} aria-hidden>
        <span>{format.locale(own)}</span>
        <span>{format.locale(shown)}</span>
      </div>
      {collection.fields.map((field) => (
        <div key={field.name} className={styles.pair}>
          <FieldControl field={field} />
          <section lang={shown} aria-label={`${field.label}, ${format.locale(shown)}`}>
            {source && <ReadValue field={field} value={source.fields[field.name]} />}
          </section>
        </div>
      ))}
    </div>
  );
}
