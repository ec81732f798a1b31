import { Link } from '@tanstack/react-router';
import type { ReactNode } from 'react';
import type { ApiError } from '../api/error';
import { Said } from '../faults/said';
import { useTexts } from '../i18n/language';
import { Note, Problem } from '../ui/basics';
import styles from './settings.module.css';
import { parseUse } from './use';

type InUseProps = {
  error: ApiError;
  /** Renders the location of a use, for places that only the page knows. */
  placeOf?: (location: string) => ReactNode;
};

/** Shows a conflict with the code in_use as links to the uses, and any other error as Problem. */
export function InUse({ error, placeOf }: InUseProps) {
  const t = useTexts('settings').uses;
  if (error.code !== 'in_use') return <Problem error={error} />;
  return (
    <Note tone="bad" role="alert">
      {t.lead}
      <ul className={styles.list}>
        {error.faults.map((fault) => (
          <li key={fault.location + fault.message}>
            {placeOf?.(fault.location) ?? (
              <Place location={fault.location}>
                <Said text={fault.message} />
              </Place>
            )}
          </li>
        ))}
      </ul>
    </Note>
  );
}

function Place({ location, children }: { location: string; children: ReactNode }) {
  const t = useTexts('settings').uses;
  const use = parseUse(location);
  if (use?.kind === 'department')
    return (
      <>
        <Link to="/organisation/departments/$departmentId" params={{ departmentId: use.departmentId }}>
          {t.department}
        </Link>
        : {children}
      </>
    );
  if (use?.kind === 'project')
    return (
      <>
        <Link to="/projects/$projectId/workflow" params={{ projectId: use.projectId }}>
          {t.project}
        </Link>
        : {children}
      </>
    );
  if (use?.kind === 'request')
    return (
      <Link to="/review/$projectId/$collectionId/$entryId" params={use}>
        {children}
      </Link>
    );
  return children;
}
