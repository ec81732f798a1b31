import { useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { Columns2, Plus } from 'lucide-react';
import { lazy, Suspense } from 'react';
import { may } from '../../api/rights';
import { statusTones } from '../../content/status';
import { useFormat } from '../../i18n/format';
import { useTexts } from '../../i18n/language';
import { ButtonLink } from '../../ui/button';
import { Chip } from '../../ui/basics';
import { useEditing } from '../context';
import { translationsQuery } from '../queries';
import type { Entry } from '../store';
import styles from './panel.module.css';

// Loaded on demand: few entries have translations.
const CopyFrom = lazy(() => import('./copyfrom').then((m) => ({ default: m.CopyFrom })));

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
  const original = others.find((one) => one.locale === project.defaultLocale);
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
      <Suspense>{writes && original && <CopyFrom source={original} />}</Suspense>
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
