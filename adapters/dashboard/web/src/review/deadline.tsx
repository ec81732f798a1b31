import type { Schemas } from '../api/client';
import { useTexts } from '../i18n/language';
import { Time, useNow } from '../ui/basics';

/** By when an open step is to be decided, and when others may decide it as well; or that an action was made by one of these. */
export function Deadline({ step, by }: { step?: Schemas['WorkflowStep']; by?: true }) {
  const t = useTexts('conditions');
  const roles = useTexts('common').steps;
  const now = useNow();
  if (by) return <small>{t.byEscalation}</small>;
  const who = step?.escalate?.requiredRoleKind ? roles[step.escalate.requiredRoleKind] : t.customRole;
  return (
    <>
      {step?.dueAt && (
        <small>
          {step.overdue ? t.overdue : t.due} <Time value={step.dueAt} as="planned" />
        </small>
      )}
      {step?.escalatesAt && (
        <small>
          {(Date.parse(step.escalatesAt) > now ? t.escalates : t.escalated)(who)} <Time value={step.escalatesAt} as="planned" />
        </small>
      )}
    </>
  );
}
