import { lazy, Suspense } from 'react';
import { useEditing, useMeta } from '../context';
import { About } from './about';
import type { Actions } from './actions';
import { FaultList } from './faultlist';
import { Languages } from './languages';
import { Outcome } from './outcome';

const Ways = lazy(() => import('./ways').then((m) => ({ default: m.Ways })));

/** The column beside the fields. */
export function Panel({ actions, translationOf, beside }: { actions: Actions; translationOf?: number; beside?: string }) {
  const { store, project } = useEditing();
  const { entry, savedAt } = useMeta(store);
  return (
    <>
      <Outcome actions={actions} />
      <FaultList refusals={actions.refusals} />
      <Languages entry={entry} translationOf={translationOf} beside={beside} />
      {entry && <About projectId={project.id} entry={entry} saved={savedAt} />}
      <Suspense>{entry && <Ways actions={actions} />}</Suspense>
    </>
  );
}
