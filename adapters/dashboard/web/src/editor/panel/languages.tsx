import { useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { Columns2, Copy, Plus } from 'lucide-react';
import { may } from '../../api/rights';
import { statusTones } from '../../content/status';
import { useFormat } from '../../i18n/format';
import { useTexts } from '../../i18n/language';
import { Button, ButtonLink } from '../../ui/button';
import { Chip } from '../../ui/basics';
import { toast } from '../../ui/toast';
import { useEditing } from '../context';
import { translationsQuery } from '../queries';
import type { Entry } from '../store';
import { empty } from '../values';
import styles from './panel.module.css';

/** The state of the translation in each locale of the Project. */
export function Languages({ entry, translationOf, beside }: { entry?: Entry; translationOf?: number; beside?: string }) {
  const t = useTexts('editor').languages;
  const status = useTexts('common').entryStatus;
  const format = useFormat();
  const { project, collection, locale } = useEditing();
  const place = { projectId: project.id, collectionId: collection.id };
  const of = entry?.id ?? translationOf;
  const translations = useQuery({ ...translationsQuery(place, of ?? 0), enabled: of !== undefined }).data?.data ?? [];
  if (project.locales.length < 2) return null;
  const writes = may(project, 'content.write');
  const others = translations.filter((one) => one.locale !== locale);
  return (
    <section aria-labelledby="languages">
      <h2 id="languages">{t.title}</h2>
      <ul className={styles.languages}>
        {project.locales.map((one) => {
          const found = one === locale ? entry : translations.find((e) => e.locale === one);
          const name = format.locale(one);
          if (one === locale || found) {
            const state = found?.status ?? 'draft';
            const chip = <Chip tone={statusTones[state]}>{name}</Chip>;
            const label = `${name}: ${found ? status[state] : t.fresh}`;
            return (
              <li key={one}>
                {one === locale ? (
                  <span className={styles.here} title={label} aria-current="true" aria-label={label} role="img">
                    {chip}
                  </span>
                ) : (
                  <Link to="/projects/$projectId/collections/$collectionId/entries/$entryId" params={{ ...place, entryId: found!.id }} title={label} aria-label={label}>
                    {chip}
                  </Link>
                )}
              </li>
            );
          }
          if (!writes || of === undefined) {
            return (
              <li key={one}>
                <Chip>{t.missing(name)}</Chip>
              </li>
            );
          }
          return (
            <li key={one}>
              <Link to="/projects/$projectId/collections/$collectionId/new" params={place} search={{ locale: one, of }} className={styles.gap} title={t.create(name)} aria-label={t.create(name)}>
                <Plus aria-hidden />
                {name}
              </Link>
            </li>
          );
        })}
      </ul>
      {writes && <CopyFrom source={others.find((one) => one.locale === project.defaultLocale)} />}
      {entry && others.length > 0 && (
        <div className={styles.beside}>
          {beside === undefined ? (
            others.slice(0, 1).map((one) => (
              <ButtonLink key={one.id} kind="quiet" icon={<Columns2 aria-hidden />} to="/projects/$projectId/collections/$collectionId/entries/$entryId" params={{ ...place, entryId: entry.id }} search={{ beside: one.locale }} replace resetScroll={false}>
                {t.beside(format.locale(one.locale))}
              </ButtonLink>
            ))
          ) : (
            <ButtonLink kind="quiet" icon={<Columns2 aria-hidden />} to="/projects/$projectId/collections/$collectionId/entries/$entryId" params={{ ...place, entryId: entry.id }} search={{}} replace resetScroll={false}>
              {t.alone}
            </ButtonLink>
          )}
        </div>
      )}
    </section>
  );
}

/** Copies the values of the text in the default language into the fields that are empty here. */
function CopyFrom({ source }: { source: Entry | undefined }) {
  const t = useTexts('editor').languages;
  const format = useFormat();
  const { store, collection } = useEditing();
  if (!source) return null;
  const copy = () => {
    // A slug follows its title in each language.
    const fields = collection.fields.filter((f) => f.type !== 'slug' && f.type !== 'password' && !f.hidden && empty(store.value(f.name)) && !empty(source.fields[f.name]));
    for (const { name } of fields) store.set(name, source.fields[name]);
    toast(fields.length > 0 ? t.copied(format.list(fields.map((f) => f.label))) : t.nothingToCopy);
  };
  return (
    <div className={styles.beside}>
      <Button kind="quiet" icon={<Copy aria-hidden />} onPress={copy}>
        {t.copyFrom(format.locale(source.locale))}
      </Button>
    </div>
  );
}
