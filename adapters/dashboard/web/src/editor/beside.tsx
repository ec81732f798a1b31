import { keepPreviousData, useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { useCallback, useSyncExternalStore } from 'react';
import { $api, type Schemas } from '../api/client';
import { useFormat } from '../i18n/format';
import { useTexts } from '../i18n/language';
import { Note } from '../ui/basics';
import styles from './beside.module.css';
import { useEditing, useMeta, type Field } from './context';
import { FieldControl, Fields } from './fields';
import { BesideItems, type ShowBeside } from './items/besideitems';
import { counterparts } from './items/counterparts';
import { ReadItem } from './items/readitems';
import { isStructured } from './items/structured';
import { itemsOf, signatureOf } from './items/values';
import { entryQuery, translationsQuery } from './queries';
import { ReadValue } from './readvalue';

/** The number of the last revision of an entry that was saved at a moment or before; 0: none of the latest 100. */
const revisionAtQuery = ({ projectId, collectionId }: { projectId: number; collectionId: number }, contentId: number, at: string) => ({
  ...$api.queryOptions('get', '/api/projects/{projectId}/collections/{collectionId}/content/{contentId}/revisions', {
    params: { path: { projectId, collectionId, contentId }, query: { page: 1, perPage: 100 } },
  }),
  select: ({ data }: { data: readonly Schemas['Revision'][] }) => data.find((r) => r.updatedAt <= at)?.number ?? 0,
});

/** Each field with its value in another locale beside it; only the fields if that translation is missing. */
export function Beside({ locale, entryId }: { locale: string; entryId: number }) {
  const t = useTexts('editor').beside;
  const format = useFormat();
  const { store, project, collection, locale: own } = useEditing();
  const { entry } = useMeta(store);
  const place = { projectId: project.id, collectionId: collection.id };
  const translations = useQuery({ ...translationsQuery(place, entryId), placeholderData: keepPreviousData });
  const others = translations.data?.data.filter((e) => e.locale !== own);
  const source = others?.find((e) => e.locale === locale) ?? others?.[0];
  // The list of translations has no groups and blocks.
  const values = useQuery({ ...entryQuery(place, source?.id ?? 0), enabled: source !== undefined, placeholderData: keepPreviousData }).data?.fields;
  const older = source !== undefined && entry !== undefined && source.updatedAt > entry.updatedAt;
  const since = useQuery({ ...revisionAtQuery(place, source?.id ?? 0, entry?.updatedAt ?? ''), enabled: older }).data;
  const shown = source?.locale ?? locale;
  const shownName = format.locale(shown);
  const showItem = useCallback<ShowBeside>(
    ({ field, index, isOpen }) => {
      const item = counterparts(itemsOf(store.raw(field.name)), itemsOf(values?.[field.name])).beside[index];
      return (
        item && (
          <section lang={shown} className={styles.item} aria-label={`${field.label} ${index + 1}, ${shownName}`}>
            <ReadItem field={field} item={item} read={ReadValue} folded={!isOpen} />
          </section>
        )
      );
    },
    [store, values, shown, shownName],
  );
  if (others && !source) {
    return (
      <>
        <p className={styles.hint}>{t.missing(format.locale(locale))}</p>
        <Fields />
      </>
    );
  }
  return (
    <BesideItems value={showItem}>
      <div className={styles.beside}>
        {older && (
          <Note tone="wait">
            {t.changedSince(format.locale(shown))}{' '}
            <Link to="/projects/$projectId/collections/$collectionId/entries/$entryId/history" params={{ projectId: project.id, collectionId: collection.id, entryId: source.id }} search={since ? { from: `r${since}` } : {}} target="_blank">
              {t.whatChanged}
            </Link>
          </Note>
        )}
        <div className={styles.heads} aria-hidden>
          <span>{format.locale(own)}</span>
          <span>{format.locale(shown)}</span>
        </div>
        {collection.fields.map((field) => (
          <div key={field.name} className={styles.pair} data-items={isStructured(field) || undefined}>
            <FieldControl field={field} />
            {isStructured(field) ? (
              <OtherItems field={field} value={values?.[field.name]} locale={shown} />
            ) : (
              <section lang={shown} aria-label={`${field.label}, ${format.locale(shown)}`}>
                {values && <ReadValue field={field} value={values[field.name]} />}
              </section>
            )}
          </div>
        ))}
      </div>
    </BesideItems>
  );
}

/** The items of the other translation that stand beside none of this one: all of them beside an empty field. */
function OtherItems({ field, value, locale }: { field: Field; value: unknown; locale: string }) {
  const format = useFormat();
  const { store } = useEditing();
  const own = () => itemsOf(store.raw(field.name));
  useSyncExternalStore(store.subscribe(field.name), () => signatureOf(own()));
  const { rest } = counterparts(own(), itemsOf(value));
  return (
    rest.length > 0 && (
      <section lang={locale} className={styles.others} aria-label={`${field.label}, ${format.locale(locale)}`}>
        <ReadValue field={field} value={rest} />
      </section>
    )
  );
}
