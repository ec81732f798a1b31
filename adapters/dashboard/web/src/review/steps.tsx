import type { Schemas } from '../api/client';
import { useTexts } from '../i18n/language';
import styles from './steps.module.css';

type Step = Schemas['WorkflowStep'];
type Request = Schemas['ApprovalRequest'];

/** Returns the name of a step: its label, or the role that decides it. */
export function useStepName() {
  const t = useTexts('common').steps;
  return (step: Step) => step.stepLabel ?? (step.requiredCustomRoleId !== null ? t.customRole : t[step.requiredRoleKind]);
}

/** The index of the current step, or -1 if the request is not pending. */
export function currentIndex({ currentStep, steps }: Pick<Request, 'currentStep' | 'steps'>) {
  return currentStep ? steps.findIndex((s) => s.stepOrder === currentStep.stepOrder) : -1;
}

/** The progress of a pending request, as bars and as text. */
export function StepBar({ request }: { request: Request }) {
  const t = useTexts('common').steps;
  const name = useStepName();
  const at = currentIndex(request);
  const step = request.steps[at];
  if (!step) return null;
  return (
    <div className={styles.bar}>
      <span aria-hidden>
        {request.steps.map((s, i) => (
          <i key={s.stepOrder} data-state={i < at ? 'done' : i === at ? 'now' : undefined} />
        ))}
      </span>
      <span>{t.step(at + 1, request.steps.length, name(step))}</span>
      {request.currentStep?.unreachable && <span className={styles.unreachable}>{t.unreachable}</span>}
    </div>
  );
}
