import type { Schemas } from '../api/client';
import { useTexts } from '../i18n/language';
import { Time, useNow } from '../ui/basics';

/** What a signature means. */
export const meaningOf = ({ payload }: Schemas['Signature']) => (JSON.parse(payload) as { meaning: string }).meaning;

/** By when an open step is to be decided, and when others may decide it as well; or that an action was made by one of these, and what its signature means. */
export function Deadline({ step, action }: { step?: Schemas['WorkflowStep']; action?: Schemas['ApprovalAction'] }) {
  const t = useTexts('conditions');
  const roles = useTexts('common').steps;
  const now = useNow();
  if (action)
    return (
      <>
        {action.by && <small>{t.byEscalation}</small>}
        {action.signature && <small>{t.signed(meaningOf(action.signature), t.methods[action.signature.method])}</small>}
      </>
    );
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
