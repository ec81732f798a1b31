import { FlaskConical } from 'lucide-react';
import { lazy, Suspense, useState } from 'react';
import type { Schemas } from '../../api/client';
import { useTexts } from '../../i18n/language';
import type { WorkflowPlace } from '../../review/deciders';
import { Button } from '../../ui/button';

const TryDialog = lazy(() => import('./try'));

/** Opens the dialog that tries a workflow on an entry: the one that is edited, or the saved one. */
export function TryButton({ place, workflow }: { place: WorkflowPlace; workflow?: Schemas['WorkflowInput'] }) {
  const t = useTexts('workflow').trial;
  const [open, setOpen] = useState(false);
  return (
    <>
      <Button icon={<FlaskConical aria-hidden />} onPress={() => setOpen(true)}>
        {t.open}
      </Button>
      {open && (
        <Suspense fallback={null}>
          <TryDialog place={place} workflow={workflow} onClose={() => setOpen(false)} />
        </Suspense>
      )}
    </>
  );
}
