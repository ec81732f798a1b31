import { Link } from '@tanstack/react-router';
import { ArrowDownToLine, CircleAlert, Send } from 'lucide-react';
import { useProject } from '../api/queries';
import { useFormat } from '../i18n/format';
import { useTexts } from '../i18n/language';
import styles from './calendar.module.css';
import type { Happening } from './happenings';

/** One happening, with a link to its review, or to the entry if there is no review. */
export function HappeningLink({ happening: { at, kind, failed, schedule }, showProject }: { happening: Happening; showProject: boolean }) {
  const t = useTexts('overview').happening;
  const format = useFormat();
  const { projectId, collectionId, entryId, requestId, locale } = schedule;
  const project = useProject(projectId);
  const Icon = failed ? CircleAlert : kind === 'publish' ? Send : ArrowDownToLine;
  const title = schedule.title ?? t.entry(entryId);
  const state = failed ? t.failed : t[kind];
  const inside = (
    <>
      <Icon aria-hidden />
      <span className={styles.what}>
        <time dateTime={at}>{format.time(at)}</time> <b>{title}</b>
        <small>
          {state}
          {' · '}
          {locale}
          {showProject && project && ` · ${project.name}`}
        </small>
      </span>
    </>
  );
  const look = { className: styles.happening, 'data-kind': failed ? 'failed' : kind, title: `${format.exact(at)}: ${title} (${state})` };
  return requestId !== null ? (
    <Link to="/review/$projectId/$collectionId/$entryId" params={{ projectId, collectionId, entryId }} {...look}>
      {inside}
    </Link>
  ) : (
    <Link to="/projects/$projectId/collections/$collectionId/entries/$entryId" params={{ projectId, collectionId, entryId }} {...look}>
      {inside}
    </Link>
  );
}
